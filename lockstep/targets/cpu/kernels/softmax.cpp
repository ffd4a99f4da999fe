#include "lockstep/targets/cpu/kernels/softmax.h"

#include "lockstep/ops/positions.h"
#include "lockstep/ops/softmax.h"
#include "lockstep/targets/cpu/kernels/rows.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref x, y;
  int64_t width;
  Cut cut;
};

void softmax_part(const Args& a, const Frame& f, int64_t p) noexcept {
  for (int64_t b = a.cut.begin(p); b < a.cut.end(p); ++b) {
    const float* x = f.at<float>(a.x) + b * a.width;
    float* y = f.at<float>(a.y) + b * a.width;
    float most = largest_of(x, a.width), sum = 0;
    for (int64_t k = 0; k < a.width; ++k) sum += y[k] = std::exp(x[k] - most);
    for (int64_t k = 0; k < a.width; ++k) y[k] /= sum;
  }
}

void log_softmax_part(const Args& a, const Frame& f, int64_t p) noexcept {
  for (int64_t b = a.cut.begin(p); b < a.cut.end(p); ++b) {
    const float* x = f.at<float>(a.x) + b * a.width;
    float* y = f.at<float>(a.y) + b * a.width;
    float most = largest_of(x, a.width), sum = 0;
    for (int64_t k = 0; k < a.width; ++k) sum += std::exp(x[k] - most);
    float log_sum = std::log(sum);
    for (int64_t k = 0; k < a.width; ++k) y[k] = (x[k] - most) - log_sum;
  }
}

template <class Op>
Fit fits(const GroupView& g) {
  size_t rank = g.type(g.step().reads[0]).shape.size();
  if (resolve_axis(Op::info.name, g.attrs<Op>().axis, rank) + 1 != rank) return no("not over the last axis");
  return fits_plain_f32(g);
}

template <auto part>
void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Type x = g.type(s.reads[0]);
  int64_t width = x.shape.back(), rows = width == 0 ? 0 : x.elements() / width;
  Args a{sink.ref(s.reads[0]), sink.ref(s.writes[0]), width, cut_rows(rows, width, 16)};
  sink.emit<part>(a, a.cut.parts);
}

}  // namespace

Kernel softmax_kernel() { return {"softmax", {"softmax"}, fits<Softmax>, lower<softmax_part>}; }
Kernel log_softmax_kernel() {
  return {"log_softmax", {"log_softmax"}, fits<LogSoftmax>, lower<log_softmax_part>};
}

}  // namespace lockstep::cpu
