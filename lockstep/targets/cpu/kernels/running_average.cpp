#include "lockstep/targets/cpu/kernels/running_average.h"

#include <algorithm>

#include "lockstep/ops/running_average.h"
#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref old, batch, apply, next;
  double momentum, factor;
  Cut cut;
};

/// In double: the values are few, and an average over many steps is worth it.
void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const float *old = f.at<float>(a.old), *batch = f.at<float>(a.batch);
  float* next = f.at<float>(a.next);
  bool apply = *f.at<uint8_t>(a.apply) != 0;
  for (int64_t i = a.cut.begin(p); i < a.cut.end(p); ++i) {
    double value = (1 - a.momentum) * static_cast<double>(old[i]) +
                   a.momentum * (static_cast<double>(batch[i]) * a.factor);
    next[i] = apply ? static_cast<float>(value) : old[i];
  }
}

Fit fits(const GroupView& g) {
  if (g.type(g.step().writes[0]).dtype != DType::f32) return no("not f32");
  return in_one_order(g) ? yes() : no("operands of two layouts");
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  const auto& op = g.attrs<RunningAverage>();
  auto n = static_cast<double>(op.unbiased_count);
  Args a{sink.ref(s.reads[0]),
         sink.ref(s.reads[1]),
         sink.ref(s.reads[2]),
         sink.ref(s.writes[0]),
         op.momentum,
         op.unbiased_count > 1 ? n / (n - 1) : 1,
         Cut(g.type(s.writes[0]).elements(), stream_grain)};
  sink.emit<part>(a, a.cut.parts);
}

}  // namespace

Kernel running_average_kernel() { return {"running_average", {"running_average"}, fits, lower}; }

}  // namespace lockstep::cpu
