// Repeating a value along axes, as NumPy broadcasts, and the sum that undoes it.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = x repeated along the axes where x has size 1 (or none) and `shape` has another size.
struct BroadcastTo {
  Shape shape;
  static constexpr OpInfo info{"broadcast_to", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("shape", &BroadcastTo::shape));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// y[j] = sum of the x[i] to which broadcasting from `shape` to the shape of x would put y[j].
struct SumTo {
  Shape shape;
  static constexpr OpInfo info{"sum_to", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("shape", &SumTo::shape));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// x itself when it already has the shape.
Value broadcast_to(Value x, Shape shape, Site site = {});
Value sum_to(Value x, Shape shape, Site site = {});

/// The type `dtype` with the shape to which the inputs a and b broadcast; refuses unequal element types.
Type broadcast_type(const OpInfo& info, const Types& in, DType dtype);

}  // namespace lockstep
