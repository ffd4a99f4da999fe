// Batch normalisation in training and in inference.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = (x - mean) / sqrt(var + eps) * scale + shift; per channel, mean and biased variance of x over all axes
/// but 1. x (N, C, ...), scale (C), shift (C) -> y (N, C, ...), mean (C), var (C); all of one type. Channels
/// without values (an empty batch) have mean and variance 0.
///
/// mean and var serve running statistics only (see running_average.h): gradients into them are refused.
struct BatchNorm {
  double eps = 1e-5;
  static constexpr OpInfo info{"batch_norm", {"x", "scale", "shift"}, {"y", "mean", "var"}};
  static constexpr auto attrs = fields(field("eps", &BatchNorm::eps));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// With r = 1 / sqrt(var + eps), h = (x - mean) * r, n values per channel, sums over all axes but 1:
/// dshift = sum(dy), dscale = sum(dy * h), dx = scale * r * (dy - dshift / n - h * dscale / n).
/// dy, x (N, C, ...), scale, mean, var (C) -> dx (N, C, ...), dscale (C), dshift (C).
struct BatchNormBackward {
  double eps = 1e-5;
  static constexpr OpInfo info{"batch_norm_backward",
                               {"dy", "x", "scale", "mean", "var"},
                               {"dx", "dscale", "dshift"},
                               Gradient::first_only};
  static constexpr auto attrs = fields(field("eps", &BatchNormBackward::eps));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// y = (x - mean) / sqrt(var + eps) * scale + shift with a mean and variance that are given.
/// x (N, C, ...), scale, shift, mean, var (C) -> y (N, C, ...).
struct BatchNormInference {
  double eps = 1e-5;
  static constexpr OpInfo info{"batch_norm_inference", {"x", "scale", "shift", "mean", "var"}, {"y"}};
  static constexpr auto attrs = fields(field("eps", &BatchNormInference::eps));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

struct BatchNormOutputs {
  Value y, mean, var;
};
BatchNormOutputs batch_norm(Value x, Value scale, Value shift, double eps = 1e-5, Site site = {});
struct BatchNormGradients {
  Value dx, dscale, dshift;
};
BatchNormGradients batch_norm_backward(Value dy, Value x, Value scale, Value mean, Value var,
                                       double eps = 1e-5, Site site = {});
Value batch_norm_inference(Value x, Value scale, Value shift, Value mean, Value var, double eps = 1e-5,
                           Site site = {});

}  // namespace lockstep
