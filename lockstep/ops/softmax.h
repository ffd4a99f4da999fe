// Softmax and its logarithm along an axis.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = e^(x - m) / sum of e^(x - m) along the axis, m = the largest x.
struct Softmax {
  int64_t axis = -1;
  static constexpr OpInfo info{"softmax", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("axis", &Softmax::axis, "counts from the end when negative"));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// y = (x - m) - log(sum of e^(x - m)) along the axis, m = the largest x.
struct LogSoftmax {
  int64_t axis = -1;
  static constexpr OpInfo info{"log_softmax", {"x"}, {"y"}};
  static constexpr auto attrs = fields(field("axis", &LogSoftmax::axis, "counts from the end when negative"));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value softmax(Value x, int64_t axis = -1, Site site = {});
Value log_softmax(Value x, int64_t axis = -1, Site site = {});

}  // namespace lockstep
