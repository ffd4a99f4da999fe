// A value known when the graph is built.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = value, everywhere. Two constants that are NaN do not count as equal records.
struct Constant {
  double value = 0;
  Shape shape;
  DType dtype = DType::f32;
  static constexpr OpInfo info{"constant", {}, {"y"}, Gradient::none};
  static constexpr auto attrs = fields(field("value", &Constant::value), field("shape", &Constant::shape),
                                       field("dtype", &Constant::dtype));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// Refuses a value that an integer type cannot hold.
Value constant(Graph& graph, double value, Type type, Site site = {});

}  // namespace lockstep
