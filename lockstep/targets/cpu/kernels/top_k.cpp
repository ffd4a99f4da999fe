#include "lockstep/targets/cpu/kernels/top_k.h"

#include "lockstep/ops/top_k.h"
#include "lockstep/targets/cpu/kernels/rows.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref logits, label, y;
  int64_t classes, k;
  Cut cut;
};

void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const int32_t* label = f.at<int32_t>(a.label);
  float* y = f.at<float>(a.y);
  for (int64_t b = a.cut.begin(p); b < a.cut.end(p); ++b) {
    const float* z = f.at<float>(a.logits) + b * a.classes;
    y[b] = 0;
    if (label[b] < 0 || label[b] >= a.classes) {
      f.fault->raise("top_k_correct: label out of range");
      continue;
    }
    float own = z[label[b]];
    int64_t ahead = 0;
    for (int64_t c = 0; c < label[b]; ++c) ahead += z[c] >= own;
    for (int64_t c = label[b] + 1; c < a.classes; ++c) ahead += z[c] > own;
    y[b] = !std::isnan(own) && ahead < a.k ? 1.0f : 0.0f;
  }
}

Fit fits(const GroupView& g) { return g.type(g.step().reads[0]).dtype == DType::f32 ? yes() : no("not f32"); }

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Shape shape = g.type(s.reads[0]).shape;
  Args a{sink.ref(s.reads[0]),     sink.ref(s.reads[1]),        sink.ref(s.writes[0]), shape[1],
         g.attrs<TopKCorrect>().k, cut_rows(shape[0], shape[1])};
  sink.emit<part>(a, a.cut.parts);
}

}  // namespace

Kernel top_k_correct_kernel() { return {"top_k_correct", {"top_k_correct"}, fits, lower}; }

}  // namespace lockstep::cpu
