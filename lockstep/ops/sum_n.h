// The sum of any number of values.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = ((x0 + x1) + x2) + ...; the values share one type.
struct SumN {
  static constexpr OpInfo info{.name = "sum_n", .inputs = {"xs..."}, .outputs = {"y"}, .elementwise = true};
  static constexpr auto attrs = fields();
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// The only value itself when there is one.
Value sum_n(const Values& xs, Site site = {});

}  // namespace lockstep
