// Counters of steps and attempts.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// next = counter + (apply ? 1 : 0). counter i64[], apply pred[] -> next i64[].
struct Advance {
  static constexpr OpInfo info{"advance", {"counter", "apply"}, {"next"}, Gradient::none, true};
  static constexpr auto attrs = fields();
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value advance(Value counter, Value apply, Site site = {});

}  // namespace lockstep
