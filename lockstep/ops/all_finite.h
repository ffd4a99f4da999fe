// The test for overflow.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = true if no element of any x is infinite or NaN. xs floating point, of any types -> y pred[].
struct AllFinite {
  static constexpr OpInfo info{"all_finite", {"xs..."}, {"y"}, Gradient::none};
  static constexpr auto attrs = fields();
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value all_finite(const Values& xs, Site site = {});

}  // namespace lockstep
