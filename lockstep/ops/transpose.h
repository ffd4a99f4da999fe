// Permuting axes.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]: axis d of y is axis perm[d] of x.
struct Transpose {
  Shape perm;
  static constexpr OpInfo info{"transpose", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("perm", &Transpose::perm));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value transpose(Value x, Shape perm, Site site = {});
/// Exchanges the last two axes.
Value transpose_last(Value x, Site site = {});

}  // namespace lockstep
