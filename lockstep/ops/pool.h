// Maximum and average pooling over (batch, channels, height, width) and their derivatives.
#pragma once

#include "lockstep/ops/conv.h"

namespace lockstep {

/// Attributes of a pooling window; pads are {top, left, bottom, right}. Sizes are rounded down (no ceil
/// mode).
struct PoolAttrs {
  Shape window{1, 1}, strides{1, 1}, pads{0, 0, 0, 0};
  Padding padding = Padding::given;
};

/// y[n,c,i,j] = max over u,v of x[n, c, i*s - p + u, j*s - p + v]; padding counts as -inf, NaN wins.
/// x (N, C, H, W) -> y (N, C, OH, OW).
struct MaxPool : PoolAttrs {
  static constexpr OpInfo info{"max_pool", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("window", &MaxPool::window), field("strides", &MaxPool::strides),
                                       field("pads", &MaxPool::pads), field("padding", &MaxPool::padding));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// dx[first place in the window, in row order, where x equals y] += dy, summed over windows (PyTorch's
/// choice). x (N, C, H, W), y and dy (N, C, OH, OW) -> dx (N, C, H, W).
struct MaxPoolBackward : PoolAttrs {
  static constexpr OpInfo info{"max_pool_backward", {"x", "y", "dy"}, {"dx"}, Gradient::first_only};
  static constexpr auto attrs =
      fields(field("window", &MaxPoolBackward::window), field("strides", &MaxPoolBackward::strides),
             field("pads", &MaxPoolBackward::pads), field("padding", &MaxPoolBackward::padding));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// y[n,c,i,j] = sum over u,v inside x of x[n, c, i*s - p + u, j*s - p + v] / count; count is the number of
/// places inside x, or with `count_padding` the size of the window. x (N, C, H, W) -> y (N, C, OH, OW).
struct AvgPool : PoolAttrs {
  bool count_padding = false;
  static constexpr OpInfo info{"avg_pool", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("window", &AvgPool::window), field("strides", &AvgPool::strides),
                                       field("pads", &AvgPool::pads), field("padding", &AvgPool::padding),
                                       field("count_padding", &AvgPool::count_padding));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// dx[every place of the window] += dy / count, summed over windows. dy (N, C, OH, OW) -> dx (N, C, H, W) =
/// input_shape. Linear; its gradient is avg_pool.
struct AvgPoolBackward : PoolAttrs {
  bool count_padding = false;
  Shape input_shape;
  static constexpr OpInfo info{"avg_pool_backward", {"dy"}, {"dx"}};
  static constexpr auto attrs =
      fields(field("window", &AvgPoolBackward::window), field("strides", &AvgPoolBackward::strides),
             field("pads", &AvgPoolBackward::pads), field("padding", &AvgPoolBackward::padding),
             field("count_padding", &AvgPoolBackward::count_padding),
             field("input_shape", &AvgPoolBackward::input_shape));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value max_pool(Value x, PoolAttrs attrs, Site site = {});
Value max_pool_backward(Value x, Value y, Value dy, PoolAttrs attrs, Site site = {});
Value avg_pool(Value x, PoolAttrs attrs, bool count_padding = false, Site site = {});
Value avg_pool_backward(Value dy, Shape input_shape, PoolAttrs attrs, bool count_padding = false,
                        Site site = {});

}  // namespace lockstep
