// Cross entropy of softmax(logits) with class labels.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// loss[b] = -sum over k of t[b,k] * log softmax(logits[b])[k] = log_sum_exp[b] - sum over k of t[b,k] *
/// logits[b,k], t[b,k] = (1 - e) * [k == label[b]] + e / K, e = label_smoothing (the form of PyTorch and
/// TensorFlow: the label's own class has its share of e too). logits (B, K), label i32 (B) -> loss (B),
/// log_sum_exp (B). Not reduced. The largest logit of a row is subtracted before exp. A label outside 0..K-1
/// is a data error.
struct CrossEntropy {
  double label_smoothing = 0;
  static constexpr OpInfo info{"cross_entropy", {"logits", "label"}, {"loss", "log_sum_exp"}};
  static constexpr auto attrs = fields(field("label_smoothing", &CrossEntropy::label_smoothing));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// dlogits[b,k] = dloss[b] * (exp(logits[b,k] - log_sum_exp[b]) - t[b,k]), t as in CrossEntropy.
/// dloss (B), logits (B, K), label i32 (B), log_sum_exp (B) -> dlogits (B, K).
struct CrossEntropyBackward {
  double label_smoothing = 0;
  static constexpr OpInfo info{"cross_entropy_backward",
                               {"dloss", "logits", "label", "log_sum_exp"},
                               {"dlogits"},
                               Gradient::first_only};
  static constexpr auto attrs = fields(field("label_smoothing", &CrossEntropyBackward::label_smoothing));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

struct CrossEntropyOutputs {
  Value loss, log_sum_exp;
};
CrossEntropyOutputs cross_entropy(Value logits, Value label, double label_smoothing = 0, Site site = {});
Value cross_entropy_backward(Value dloss, Value logits, Value label, Value log_sum_exp,
                             double label_smoothing = 0, Site site = {});

}  // namespace lockstep
