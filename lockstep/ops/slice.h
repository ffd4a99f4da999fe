// A box cut out of a value.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y[i, j, ...] = x[begin[0] + i, begin[1] + j, ...], of sizes end - begin.
struct Slice {
  Shape begin, end;
  static constexpr OpInfo info{"slice", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("begin", &Slice::begin), field("end", &Slice::end));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value slice(Value x, Shape begin, Shape end, Site site = {});
/// Along one axis (which may be negative); the others whole.
Value slice_axis(Value x, int64_t axis, int64_t begin, int64_t end, Site site = {});

}  // namespace lockstep
