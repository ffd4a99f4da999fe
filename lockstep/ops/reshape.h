// The same elements in the same order under another shape.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = x with shape `shape`, row-major order kept.
struct Reshape {
  Shape shape;
  static constexpr OpInfo info{"reshape", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("shape", &Reshape::shape));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// One size may be -1 and is computed. x itself when it already has the shape.
Value reshape(Value x, Shape shape, Site site = {});

}  // namespace lockstep
