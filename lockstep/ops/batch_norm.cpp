#include "lockstep/ops/batch_norm.h"

#include <cmath>

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/require.h"
#include "lockstep/ops/reshape.h"

namespace lockstep {
namespace {

/// Checks x at input `x` and that every input in `channel_inputs` is (C); returns the type of these.
Type check_inputs(const OpInfo& info, const Types& in, size_t x, std::initializer_list<size_t> channel_inputs,
                  double eps) {
  require_float(info, in, x);
  if (in[x].shape.size() < 2)
    refuse(info.name, "x has no channel axis", type_text(in[x]), "(batch, channels, ...)");
  if (!(eps >= 0) || std::isinf(eps)) refuse(info.name, "eps is out of range", number_text(eps), "0 or more");
  Type channels{in[x].dtype, {in[x].shape[1]}};
  for (auto i : channel_inputs) require_type(info, in, i, channels, "the channels of x");
  return channels;
}

/// Values per channel.
double count_of(const Shape& x) {
  int64_t count = x[1] == 0 ? 0 : elements(x) / x[1];
  return static_cast<double>(count);
}

/// visit(channel, index in x), channels within rows.
template <class Visit>
void for_each_element(const Shape& x, Visit visit) {
  int64_t inner = 1, i = 0;
  for (size_t axis = 2; axis < x.size(); ++axis) inner *= x[axis];
  for (int64_t n = 0; n < x[0]; ++n)
    for (int64_t c = 0; c < x[1]; ++c)
      for (int64_t k = 0; k < inner; ++k, ++i) visit(c, i);
}

/// (1, C, 1, ...): what broadcasts a (C) over x.
Shape channel_shape(const Shape& x) {
  Shape shape(x.size(), 1);
  shape[1] = x[1];
  return shape;
}

/// make(x type, channel type) -> case, in f32 and f64: images, rows, sequences, one value per channel, an
/// empty batch.
template <class Make>
OpCases cases_of(Make make) {
  OpCases cases;
  for (auto dtype : {DType::f32, DType::f64})
    for (const Shape& shape : {Shape{3, 2, 4, 3}, Shape{5, 3}, Shape{2, 1, 3}, Shape{4, 1, 1, 1},
                               Shape{1, 3, 3, 1}, Shape{0, 2, 3, 3}})
      cases.push_back(make(Type{dtype, shape}, Type{dtype, {shape[1]}}));
  return cases;
}

constexpr Domain positive{0.5, 2};

}  // namespace

// ---- batch_norm
// ---------------------------------------------------------------------------------------------

Types BatchNorm::infer(const Types& in) const {
  auto channels = check_inputs(info, in, 0, {1, 2}, eps);
  return {in[0], channels, channels};
}

Values BatchNorm::grad(NodeView n, const Values& dy) const {
  if (dy[1] || dy[2])
    throw user_error("batch_norm: gradients into mean and var are not supported")
        .advise("let only running statistics read them");
  auto [dx, dscale, dshift] = batch_norm_backward(dy[0], n.in(0), n.in(1), n.out(1), n.out(2), eps);
  return {dx, dscale, dshift};
}

void BatchNorm::eval(Args a) const {
  const auto &x = a.in[0]->real, &scale = a.in[1]->real, &shift = a.in[2]->real;
  auto &y = a.out[0]->real, &mean = a.out[1]->real, &var = a.out[2]->real;
  const auto& shape = a.in[0]->shape();
  double count = count_of(shape);
  for_each_element(shape, [&](int64_t c, int64_t i) { mean[c] += x[i] / count; });
  for_each_element(shape,
                   [&](int64_t c, int64_t i) { var[c] += (x[i] - mean[c]) * (x[i] - mean[c]) / count; });
  for_each_element(shape, [&](int64_t c, int64_t i) {
    y[i] = (x[i] - mean[c]) / std::sqrt(var[c] + eps) * scale[c] + shift[c];
  });
}

Cost BatchNorm::cost(const Types& in) const {
  Cost cost = streaming_cost(in, infer(in), 0);
  cost.flops = 8.0 * static_cast<double>(in[0].elements());
  return cost;
}

OpCases BatchNorm::cases() {
  return cases_of([](const Type& x, const Type& c) {
    return op_case(BatchNorm{1e-3}, {x, c, c}, {{-2, 2}, positive});
  });
}

BatchNormOutputs batch_norm(Value x, Value scale, Value shift, double eps, Site site) {
  auto out = emit(BatchNorm{eps}, {x, scale, shift}, site);
  return {out[0], out[1], out[2]};
}

// ---- batch_norm_backward
// ------------------------------------------------------------------------------------

Types BatchNormBackward::infer(const Types& in) const {
  auto channels = check_inputs(info, in, 1, {2, 3, 4}, eps);
  require_type(info, in, 0, in[1], "x");
  return {in[1], channels, channels};
}

Values BatchNormBackward::grad(NodeView, const Values&) const {
  throw user_error("batch_norm_backward: second derivatives are not supported");
}

void BatchNormBackward::eval(Args a) const {
  const auto &dy = a.in[0]->real, &x = a.in[1]->real, &scale = a.in[2]->real, &mean = a.in[3]->real,
             &var = a.in[4]->real;
  auto &dx = a.out[0]->real, &dscale = a.out[1]->real, &dshift = a.out[2]->real;
  const auto& shape = a.in[1]->shape();
  double count = count_of(shape);
  auto normal = [&](int64_t c, int64_t i) { return (x[i] - mean[c]) / std::sqrt(var[c] + eps); };
  for_each_element(shape, [&](int64_t c, int64_t i) {
    dshift[c] += dy[i];
    dscale[c] += dy[i] * normal(c, i);
  });
  for_each_element(shape, [&](int64_t c, int64_t i) {
    dx[i] =
        scale[c] / std::sqrt(var[c] + eps) * (dy[i] - dshift[c] / count - normal(c, i) * dscale[c] / count);
  });
}

Cost BatchNormBackward::cost(const Types& in) const {
  Cost cost = streaming_cost(in, infer(in), 0);
  cost.flops = 12.0 * static_cast<double>(in[1].elements());
  return cost;
}

OpCases BatchNormBackward::cases() {
  return cases_of([](const Type& x, const Type& c) {
    return op_case(BatchNormBackward{}, {x, x, c, c, c}, {{}, {-2, 2}, positive, {}, positive});
  });
}

BatchNormGradients batch_norm_backward(Value dy, Value x, Value scale, Value mean, Value var, double eps,
                                       Site site) {
  auto out = emit(BatchNormBackward{eps}, {dy, x, scale, mean, var}, site);
  return {out[0], out[1], out[2]};
}

// ---- batch_norm_inference
// -----------------------------------------------------------------------------------

Types BatchNormInference::infer(const Types& in) const {
  check_inputs(info, in, 0, {1, 2, 3, 4}, eps);
  return {in[0]};
}

// With r = 1 / sqrt(var + eps): dx = dy * scale * r, dscale = sum(dy * (x - mean)) * r, dshift = sum(dy),
// dmean = -scale * r * dshift, dvar = -scale * r^2 * dscale / 2; sums over all axes but 1.
Values BatchNormInference::grad(NodeView n, const Values& dy) const {
  auto x = n.in(0);
  Shape channels{x.shape()[1]}, over_x = channel_shape(x.shape());
  auto wide = [&](Value v) { return reshape(v, over_x); };
  auto sum = [&](Value v) { return reshape(sum_to(v, over_x), channels); };
  auto r = rsqrt(shift(n.in(4), eps));
  auto slope = mul(n.in(1), r);
  auto dx = mul(dy[0], wide(slope));
  auto dscale = mul(sum(mul(dy[0], sub(x, wide(n.in(3))))), r);
  auto dshift = sum(dy[0]);
  auto dmean = neg(mul(slope, dshift));
  auto dvar = scale(mul(mul(slope, r), dscale), -0.5);
  return {dx, dscale, dshift, dmean, dvar};
}

void BatchNormInference::eval(Args a) const {
  const auto &x = a.in[0]->real, &scale = a.in[1]->real, &shift = a.in[2]->real, &mean = a.in[3]->real,
             &var = a.in[4]->real;
  auto& y = a.out[0]->real;
  for_each_element(a.in[0]->shape(), [&](int64_t c, int64_t i) {
    y[i] = (x[i] - mean[c]) / std::sqrt(var[c] + eps) * scale[c] + shift[c];
  });
}

Cost BatchNormInference::cost(const Types& in) const { return streaming_cost(in, infer(in), 4); }

OpCases BatchNormInference::cases() {
  return cases_of([](const Type& x, const Type& c) {
    return op_case(BatchNormInference{}, {x, c, c, c, c}, {{-2, 2}, positive, {}, {}, positive});
  });
}

Value batch_norm_inference(Value x, Value scale, Value shift, Value mean, Value var, double eps, Site site) {
  return emit_one(BatchNormInference{eps}, {x, scale, shift, mean, var}, site);
}

}  // namespace lockstep
