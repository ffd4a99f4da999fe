// Changing the element type.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = x as element type `to`. To a narrower floating type: rounds to nearest even (f64 to f16 and bf16 by
/// way of f32), overflow becomes infinity. Floating to integer: truncates toward zero, values outside the
/// range become its ends, NaN becomes 0. Integer to integer: wraps. To pred: x != 0.
struct Cast {
  DType to = DType::f32;
  static constexpr OpInfo info{.name = "cast", .inputs = {"x"}, .outputs = {"y"}, .elementwise = true};
  static constexpr auto attrs = fields(field("to", &Cast::to));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// x itself when it already has the element type.
Value cast(Value x, DType to, Site site = {});

}  // namespace lockstep
