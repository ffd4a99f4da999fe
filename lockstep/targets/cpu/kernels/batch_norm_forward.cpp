#include <algorithm>
#include <cmath>

#include "lockstep/ops/batch_norm.h"
#include "lockstep/targets/cpu/kernels/batch_norm.h"
#include "lockstep/targets/cpu/kernels/norm_loops.h"

namespace lockstep::cpu {

Cut image_cut(const Shape& shape) {
  int64_t image = std::max<int64_t>(1, shape[1] * shape[2] * shape[3]);
  return {shape[0], std::max<int64_t>(1, 16384 / image)};
}

namespace {

struct ForwardArgs {
  Ref x, scale, shift, mean, var, other, y;
  Ref partial;         ///< (parts, C) sums of one pass
  Ref factor, offset;  ///< (C): y = x * factor + offset
  int64_t channels, area, count;
  double eps;
  NormTail tail;
  Cut cut;
  int64_t image() const { return channels * area; }
};

float* clear_partial(const ForwardArgs& a, const Frame& f, int64_t part) {
  float* sums = f.at<float>(a.partial) + part * a.channels;
  std::fill(sums, sums + a.channels, 0.0f);
  return sums;
}

void sum_part(const ForwardArgs& a, const Frame& f, int64_t part) noexcept {
  float* sums = clear_partial(a, f, part);
  const float* x = f.at<const float>(a.x);
  for (int64_t n = a.cut.begin(part); n < a.cut.end(part); ++n)
    for (int64_t c = 0; c < a.channels; c += block)
      norm_sum(x + n * a.image() + c * a.area, a.area, sums + c);
}

/// Parts added in their order, in double.
double total(const ForwardArgs& a, const Frame& f, int64_t channel) {
  const float* partial = f.at<const float>(a.partial);
  double sum = 0;
  for (int64_t p = 0; p < a.cut.parts; ++p) sum += partial[p * a.channels + channel];
  return sum;
}

void mean_part(const ForwardArgs& a, const Frame& f, int64_t) noexcept {
  float* mean = f.at<float>(a.mean);
  for (int64_t c = 0; c < a.channels; ++c)
    mean[c] = static_cast<float>(total(a, f, c) / static_cast<double>(a.count));
}

void square_part(const ForwardArgs& a, const Frame& f, int64_t part) noexcept {
  float* sums = clear_partial(a, f, part);
  const float* x = f.at<const float>(a.x);
  const float* mean = f.at<const float>(a.mean);
  for (int64_t n = a.cut.begin(part); n < a.cut.end(part); ++n)
    for (int64_t c = 0; c < a.channels; c += block)
      norm_square_sum(x + n * a.image() + c * a.area, mean + c, a.area, sums + c);
}

void fold_scale(const ForwardArgs& a, const Frame& f) {
  const float *scale = f.at<const float>(a.scale), *shift = f.at<const float>(a.shift),
              *mean = f.at<const float>(a.mean), *var = f.at<const float>(a.var);
  float *factor = f.at<float>(a.factor), *offset = f.at<float>(a.offset);
  for (int64_t c = 0; c < a.channels; ++c) {
    double k = scale[c] / std::sqrt(var[c] + a.eps);
    factor[c] = static_cast<float>(k);
    offset[c] = static_cast<float>(shift[c] - mean[c] * k);
  }
}

void var_part(const ForwardArgs& a, const Frame& f, int64_t) noexcept {
  float* var = f.at<float>(a.var);
  for (int64_t c = 0; c < a.channels; ++c)
    var[c] = static_cast<float>(total(a, f, c) / static_cast<double>(a.count));
  fold_scale(a, f);
}

void fold_part(const ForwardArgs& a, const Frame& f, int64_t) noexcept { fold_scale(a, f); }

void apply_part(const ForwardArgs& a, const Frame& f, int64_t part) noexcept {
  const float *x = f.at<const float>(a.x), *factor = f.at<const float>(a.factor),
              *offset = f.at<const float>(a.offset);
  const float* other = a.other ? f.at<const float>(a.other) : nullptr;
  float* y = f.at<float>(a.y);
  for (int64_t n = a.cut.begin(part); n < a.cut.end(part); ++n)
    for (int64_t c = 0; c < a.channels; c += block) {
      int64_t at = n * a.image() + c * a.area;
      norm_apply(x + at, factor + c, offset + c, other != nullptr ? other + at : nullptr, y + at, a.area,
                 a.tail);
    }
}

NormTail tail_of(const GroupView& g) {
  return g.size() == 1 ? NormTail::none : g.size() == 2 ? NormTail::relu : NormTail::add_relu;
}

/// The residual operand of the add in the middle of a group.
const Operand& other_of(const GroupView& g) {
  const auto& add = g.step(1);
  return add.reads[add.reads[0] == g.step(0).writes[0] ? 1 : 0];
}

Fit fits(const GroupView& g) {
  const auto& bn = g.step(0);
  if (g.type(bn.reads[0]).dtype != DType::f32) return no("not f32");
  if (g.layout(bn.reads[0]) != Layout::blocked)
    return no("x is not in blocked layout (4 axes, channels a multiple of 8)");
  const auto& last = g.step(g.size() - 1);
  if (g.layout(last.writes[0]) != Layout::blocked) return no("y is not in blocked layout");
  if (tail_of(g) == NormTail::add_relu && g.layout(other_of(g)) != Layout::blocked)
    return no("the added operand is not in blocked layout");
  return yes();
}

template <bool training>
void lower(const GroupView& g, CallSink& sink) {
  const auto& bn = g.step(0);
  auto shape = g.type(bn.reads[0]).shape;
  ForwardArgs a;
  a.x = sink.ref(bn.reads[0]);
  a.scale = sink.ref(bn.reads[1]);
  a.shift = sink.ref(bn.reads[2]);
  a.mean = sink.ref(training ? bn.writes[1] : bn.reads[3]);
  a.var = sink.ref(training ? bn.writes[2] : bn.reads[4]);
  a.tail = tail_of(g);
  if (a.tail == NormTail::add_relu) a.other = sink.ref(other_of(g));
  a.y = sink.ref(g.step(g.size() - 1).writes[0]);
  a.channels = shape[1];
  a.area = shape[2] * shape[3];
  a.count = shape[0] * a.area;
  a.cut = image_cut(shape);
  a.factor = sink.scratch(a.channels * 4);
  a.offset = sink.scratch(a.channels * 4);
  if constexpr (training) {
    a.eps = g.template attrs<BatchNorm>().eps;
    a.partial = sink.scratch(a.cut.parts * a.channels * 4);
    sink.emit<sum_part>(a, a.cut.parts);
    sink.emit<mean_part>(a, 1);
    sink.emit<square_part>(a, a.cut.parts);
    sink.emit<var_part>(a, 1);
  } else {
    a.eps = g.template attrs<BatchNormInference>().eps;
    sink.emit<fold_part>(a, 1);
  }
  sink.emit<apply_part>(a, a.cut.parts);
}

}  // namespace

std::vector<Kernel> batch_norm_forward_kernels() {
  return {
      {"batch_norm_add_relu", {"batch_norm", "add", "relu"}, fits, lower<true>},
      {"batch_norm_relu", {"batch_norm", "relu"}, fits, lower<true>},
      {"batch_norm", {"batch_norm"}, fits, lower<true>},
      {"batch_norm_inference_add_relu", {"batch_norm_inference", "add", "relu"}, fits, lower<false>},
      {"batch_norm_inference_relu", {"batch_norm_inference", "relu"}, fits, lower<false>},
      {"batch_norm_inference", {"batch_norm_inference"}, fits, lower<false>},
  };
}

}  // namespace lockstep::cpu
