// Zeros around a value.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = x with before[d] zeros in front and after[d] zeros behind along each axis d.
struct PadZero {
  Shape before, after;
  static constexpr OpInfo info{"pad_zero", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("before", &PadZero::before), field("after", &PadZero::after));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value pad_zero(Value x, Shape before, Shape after, Site site = {});

}  // namespace lockstep
