// Exponential running averages, as batch normalisation keeps them of its statistics.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// next = apply ? (1 - momentum) * old + momentum * batch * n / (n - 1) : old, elementwise; the factor n / (n
/// - 1) stands only where n = `unbiased_count` is not 0. old, batch (any one shape), apply pred[] -> next.
///
/// `momentum` is the share of the new value, PyTorch's sense: PyTorch's 0.1 is TensorFlow's and MLPerf's
/// decay 0.9. PyTorch's running variance is unbiased (n = values per channel), TensorFlow's and ONNX's biased
/// (0).
struct RunningAverage {
  double momentum = 0.1;
  int64_t unbiased_count = 0;
  static constexpr OpInfo info{"running_average", {"old", "batch", "apply"}, {"next"}, Gradient::none, true};
  static constexpr auto attrs = fields(field("momentum", &RunningAverage::momentum),
                                       field("unbiased_count", &RunningAverage::unbiased_count));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value running_average(Value old, Value batch, Value apply, double momentum = 0.1, int64_t unbiased_count = 0,
                      Site site = {});

}  // namespace lockstep
