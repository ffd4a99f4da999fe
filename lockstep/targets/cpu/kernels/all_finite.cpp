#include "lockstep/targets/cpu/kernels/all_finite.h"

#include <algorithm>

#include "lockstep/targets/cpu/kernels/fit.h"
#include "lockstep/targets/cpu/kernels/loops.h"

namespace lockstep::cpu {
namespace {

struct Args {
  std::vector<Ref> xs;
  std::vector<int64_t> begin;  ///< of each x in the row of all elements; and the number of all
  Ref y, flags;                ///< flags: one byte per part
  Cut cut;
};

void part(const Args& a, const Frame& f, int64_t p) noexcept {
  int64_t at = a.cut.begin(p), end = a.cut.end(p);
  bool finite = true;
  for (size_t k = std::upper_bound(a.begin.begin(), a.begin.end(), at) - a.begin.begin() - 1; at < end; ++k) {
    int64_t stop = std::min(end, a.begin[k + 1]);
    finite = loops().all_finite(f.at<float>(a.xs[k]) + (at - a.begin[k]), stop - at) && finite;
    at = stop;
  }
  f.at<uint8_t>(a.flags)[p] = finite ? 1 : 0;
}

void join(const Args& a, const Frame& f, int64_t) noexcept {
  const uint8_t* flags = f.at<uint8_t>(a.flags);
  *f.at<uint8_t>(a.y) = *std::min_element(flags, flags + a.cut.parts);
}

Fit fits(const GroupView& g) {
  for (const auto& x : g.step().reads)
    if (g.type(x).dtype != DType::f32) return no("not f32");
  return yes();
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Args a{{}, {0}, sink.ref(s.writes[0]), {}, {}};
  for (const auto& x : s.reads) {
    a.xs.push_back(sink.ref(x));
    a.begin.push_back(a.begin.back() + g.type(x).elements());
  }
  a.cut = Cut(a.begin.back(), stream_grain);
  a.flags = a.cut.parts == 1 ? a.y : sink.scratch(a.cut.parts);
  sink.emit<part>(a, a.cut.parts);
  if (a.cut.parts > 1) sink.emit<join>(a, 1);
}

}  // namespace

Kernel all_finite_kernel() { return {"all_finite", {"all_finite"}, fits, lower}; }

}  // namespace lockstep::cpu
