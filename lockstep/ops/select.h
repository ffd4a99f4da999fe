// Choosing between two values.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = a where pred, else b. pred is a scalar or has the shape of a and b, which share one type.
struct Select {
  static constexpr OpInfo info{
      .name = "select", .inputs = {"pred", "a", "b"}, .outputs = {"y"}, .elementwise = true};
  static constexpr auto attrs = fields();
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value select(Value pred, Value a, Value b, Site site = {});

}  // namespace lockstep
