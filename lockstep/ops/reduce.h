// Sums, means and maxima over axes.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// No axes means all of them; negative ones count from the end. `keep` leaves each as an axis of size 1.
struct ReduceAttrs {
  Shape axes;
  bool keep = false;
  static constexpr auto attrs = fields(field("axes", &ReduceAttrs::axes), field("keep", &ReduceAttrs::keep));
};

/// y = sum of x over the axes; 0 where there is nothing to sum.
struct ReduceSum : ReduceAttrs {
  static constexpr OpInfo info{"reduce_sum", {"x"}, {"y"}};
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// y = mean of x over the axes, which must not be empty.
struct ReduceMean : ReduceAttrs {
  static constexpr OpInfo info{"reduce_mean", {"x"}, {"y"}};
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// y = maximum of x over the axes, which must not be empty; NaN if there is one.
struct ReduceMax : ReduceAttrs {
  static constexpr OpInfo info{"reduce_max", {"x"}, {"y"}};
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// dx = dy at the first of the largest elements of each reduction (a NaN counts as largest), else 0.
struct ReduceMaxBackward : ReduceAttrs {
  static constexpr OpInfo info{"reduce_max_backward", {"dy", "x"}, {"dx"}, Gradient::first_only};
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value reduce_sum(Value x, Shape axes = {}, bool keep = false, Site site = {});
Value reduce_mean(Value x, Shape axes = {}, bool keep = false, Site site = {});
Value reduce_max(Value x, Shape axes = {}, bool keep = false, Site site = {});
Value reduce_max_backward(Value dy, Value x, Shape axes, bool keep, Site site = {});

}  // namespace lockstep
