// Top-k accuracy.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y[b] = 1 where label[b] is among the k largest logits of row b, else 0: fewer than k logits are larger, or
/// equal and of a smaller index. A label whose logit is NaN is never correct; other NaN logits are passed
/// over. logits (B, K), label i32 (B) -> y (B) of the type of the logits; a label outside 0..K-1 is a data
/// error.
struct TopKCorrect {
  int64_t k = 1;
  static constexpr OpInfo info{"top_k_correct", {"logits", "label"}, {"y"}, Gradient::none};
  static constexpr auto attrs = fields(field("k", &TopKCorrect::k));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value top_k_correct(Value logits, Value label, int64_t k, Site site = {});

}  // namespace lockstep
