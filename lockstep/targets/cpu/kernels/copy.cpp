#include "lockstep/targets/cpu/kernels/copy.h"

#include <algorithm>
#include <cstring>

namespace lockstep::cpu {
namespace {

struct CopyArgs {
  Ref from, to;
  Cut cut;  // over bytes
};

void copy_part(const CopyArgs& a, const Frame& f, int64_t part) noexcept {
  int64_t begin = a.cut.begin(part), bytes = a.cut.end(part) - begin;
  if (bytes > 0)
    std::memcpy(f.at<std::byte>(a.to) + begin, f.at<const std::byte>(a.from) + begin,
                static_cast<size_t>(bytes));
}

struct ReorderArgs {
  Ref from, to;
  int64_t channels, area;
  bool to_blocked;
};

/// One image per part.
void reorder_part(const ReorderArgs& a, const Frame& f, int64_t n) noexcept {
  const float* from = f.at<const float>(a.from) + n * a.channels * a.area;
  float* to = f.at<float>(a.to) + n * a.channels * a.area;
  for (int64_t c = 0; c < a.channels; ++c)
    for (int64_t p = 0; p < a.area; ++p) {
      int64_t plain = c * a.area + p, blocked = (c / block * a.area + p) * block + c % block;
      if (a.to_blocked)
        to[blocked] = from[plain];
      else
        to[plain] = from[blocked];
    }
}

}  // namespace

void lower_copy(const GroupView& view, const Operand& from, const Operand& to, CallSink& sink) {
  auto type = view.type(from);
  if (view.layout(from) == view.layout(to)) {
    CopyArgs a{sink.ref(from), sink.ref(to), Cut(type.bytes(), 1 << 18)};
    sink.emit<copy_part>(a, a.cut.parts);
    return;
  }
  ReorderArgs a{sink.ref(from), sink.ref(to), type.shape[1], type.shape[2] * type.shape[3],
                view.layout(to) == Layout::blocked};
  sink.emit<reorder_part>(a, type.shape[0]);
}

}  // namespace lockstep::cpu
