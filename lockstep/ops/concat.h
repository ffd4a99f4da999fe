// Joining values along an axis.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = the values one after the other along `axis`; all other sizes are equal.
struct Concat {
  int64_t axis = 0;
  static constexpr OpInfo info{"concat", {"xs..."}, {"y"}};
  static constexpr auto attrs = fields(field("axis", &Concat::axis, "counts from the end when negative"));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value concat(const Values& xs, int64_t axis, Site site = {});

}  // namespace lockstep
