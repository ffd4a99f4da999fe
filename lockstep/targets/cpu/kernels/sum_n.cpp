#include "lockstep/targets/cpu/kernels/sum_n.h"

#include <algorithm>

#include "lockstep/targets/cpu/kernels/fit.h"
#include "lockstep/targets/cpu/kernels/loops.h"

namespace lockstep::cpu {
namespace {

struct Args {
  std::vector<Ref> xs;
  Ref y;
  BinaryLoop add;
  Cut cut;
};

/// In pieces that stay in the first cache. The sum of a piece is gathered aside: y may be any of the xs.
void part(const Args& a, const Frame& f, int64_t p) noexcept {
  constexpr int64_t piece = 1024;
  float sum[piece];
  float* y = f.at<float>(a.y);
  for (int64_t i = a.cut.begin(p), end = a.cut.end(p); i < end; i += piece) {
    int64_t count = std::min(piece, end - i);
    std::copy_n(f.at<float>(a.xs[0]) + i, count, sum);
    for (size_t k = 1; k < a.xs.size(); ++k) a.add(sum, f.at<float>(a.xs[k]) + i, sum, count);
    std::copy_n(sum, count, y + i);
  }
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Args a{{}, sink.ref(s.writes[0]), loops().add.both, Cut(g.type(s.writes[0]).elements(), stream_grain)};
  for (const auto& x : s.reads) a.xs.push_back(sink.ref(x));
  sink.emit<part>(a, a.cut.parts);
}

}  // namespace

Kernel sum_n_kernel() { return {"sum_n", {"sum_n"}, fits_elementwise_f32, lower}; }

}  // namespace lockstep::cpu
