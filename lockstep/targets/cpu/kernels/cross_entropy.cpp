#include "lockstep/targets/cpu/kernels/cross_entropy.h"

#include "lockstep/ops/cross_entropy.h"
#include "lockstep/targets/cpu/kernels/rows.h"

namespace lockstep::cpu {
namespace {

Fit fits(const GroupView& g) {
  for (const auto* list : {&g.step().reads, &g.step().writes})
    for (const auto& o : *list)
      if (DType d = g.type(o).dtype; d != DType::f32 && d != DType::i32) return no("not f32");
  return yes();
}

// ---- cross_entropy ---------------------------------------------------------------------------------------

struct Args {
  Ref logits, label, loss, log_sum_exp;
  int64_t classes;
  float smoothing;
  Cut cut;
};

void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const int32_t* label = f.at<int32_t>(a.label);
  float *loss = f.at<float>(a.loss), *log_sum_exp = f.at<float>(a.log_sum_exp);
  for (int64_t b = a.cut.begin(p); b < a.cut.end(p); ++b) {
    const float* z = f.at<float>(a.logits) + b * a.classes;
    float most = largest_of(z, a.classes), sum = 0, distance = 0;
    for (int64_t k = 0; k < a.classes; ++k) sum += std::exp(z[k] - most);
    float lse = most + std::log(sum);
    log_sum_exp[b] = lse;
    loss[b] = 0;
    if (label[b] < 0 || label[b] >= a.classes) {
      f.fault->raise("cross_entropy: label out of range");
      continue;
    }
    loss[b] = (1 - a.smoothing) * (lse - z[label[b]]);
    if (a.smoothing == 0) continue;
    for (int64_t k = 0; k < a.classes; ++k) distance += lse - z[k];
    loss[b] += a.smoothing / static_cast<float>(a.classes) * distance;
  }
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Shape shape = g.type(s.reads[0]).shape;
  Args a{sink.ref(s.reads[0]),
         sink.ref(s.reads[1]),
         sink.ref(s.writes[0]),
         sink.ref(s.writes[1]),
         shape[1],
         static_cast<float>(g.attrs<CrossEntropy>().label_smoothing),
         cut_rows(shape[0], shape[1], 16)};
  sink.emit<part>(a, a.cut.parts);
}

// ---- cross_entropy_backward ------------------------------------------------------------------------------

struct BackwardArgs {
  Ref dloss, logits, label, log_sum_exp, dlogits;
  int64_t classes;
  float smoothing;
  Cut cut;
};

void backward_part(const BackwardArgs& a, const Frame& f, int64_t p) noexcept {
  const float *dloss = f.at<float>(a.dloss), *log_sum_exp = f.at<float>(a.log_sum_exp);
  const int32_t* label = f.at<int32_t>(a.label);
  float share = a.smoothing / static_cast<float>(a.classes), own = 1 - a.smoothing + share;
  for (int64_t b = a.cut.begin(p); b < a.cut.end(p); ++b) {
    const float* z = f.at<float>(a.logits) + b * a.classes;
    float* dz = f.at<float>(a.dlogits) + b * a.classes;
    if (label[b] < 0 || label[b] >= a.classes) {
      f.fault->raise("cross_entropy_backward: label out of range");
      std::fill_n(dz, a.classes, 0.0f);
      continue;
    }
    for (int64_t k = 0; k < a.classes; ++k)
      dz[k] = dloss[b] * (std::exp(z[k] - log_sum_exp[b]) - (k == label[b] ? own : share));
  }
}

void lower_backward(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Shape shape = g.type(s.reads[1]).shape;
  BackwardArgs a{sink.ref(s.reads[0]),
                 sink.ref(s.reads[1]),
                 sink.ref(s.reads[2]),
                 sink.ref(s.reads[3]),
                 sink.ref(s.writes[0]),
                 shape[1],
                 static_cast<float>(g.attrs<CrossEntropyBackward>().label_smoothing),
                 cut_rows(shape[0], shape[1], 16)};
  sink.emit<backward_part>(a, a.cut.parts);
}

}  // namespace

Kernel cross_entropy_kernel() { return {"cross_entropy", {"cross_entropy"}, fits, lower}; }
Kernel cross_entropy_backward_kernel() {
  return {"cross_entropy_backward", {"cross_entropy_backward"}, fits, lower_backward};
}

}  // namespace lockstep::cpu
