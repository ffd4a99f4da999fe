// Rows of a table, looked up by index, and the sum of rows that is its derivative.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y[i..., :] = table[index[i...], :]. table (R, ...), index i32 or i64 of any shape; an index outside 0..R-1
/// is a data error.
struct Gather {
  static constexpr OpInfo info{"gather", {"table", "index"}, {"y"}};
  static constexpr auto attrs = fields();
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// dtable[r, :] = sum of the dy[i..., :] with index[i...] = r, added in the order of the index.
struct GatherBackward {
  int64_t rows = 0;  ///< R
  static constexpr OpInfo info{"gather_backward", {"dy", "index"}, {"dtable"}};
  static constexpr auto attrs = fields(field("rows", &GatherBackward::rows));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value gather(Value table, Value index, Site site = {});
Value gather_backward(Value dy, Value index, int64_t rows, Site site = {});

}  // namespace lockstep
