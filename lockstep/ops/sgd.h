// Stochastic gradient descent with momentum: one update of one variable.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// Where the learning rate stands. The forms agree as long as the rate is constant, and no longer.
/// rate_outside: PyTorch's torch.optim.SGD. rate_inside: TensorFlow's Momentum optimizer and LARS.
enum class SgdForm { rate_outside, rate_inside };
inline std::vector<std::string_view> names_of(SgdForm) { return {"rate_outside", "rate_inside"}; }

/// Attributes of the update. Weight decay is added to the gradient (L2), before momentum.
struct SgdAttrs {
  SgdForm form = SgdForm::rate_outside;
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;
};

/// With d = g + weight_decay * w, if `apply`:
/// rate_outside: m_next = momentum * m + d;        w_next = w - rate * (nesterov ? d + momentum * m_next :
/// m_next); rate_inside:  m_next = momentum * m + rate * d; w_next = w - (nesterov ? momentum * m_next + rate
/// * d : m_next); else w_next = w, m_next = m. w, g, m (one type), rate (floating point)[], apply pred[]. m
/// begins at zero.
struct Sgd : SgdAttrs {
  static constexpr OpInfo info{
      "sgd", {"w", "g", "m", "rate", "apply"}, {"w_next", "m_next"}, Gradient::none, true};
  static constexpr auto attrs =
      fields(field("form", &Sgd::form), field("momentum", &Sgd::momentum), field("nesterov", &Sgd::nesterov),
             field("weight_decay", &Sgd::weight_decay));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

struct SgdOutputs {
  Value w, m;
};
SgdOutputs sgd(Value w, Value g, Value m, Value rate, Value apply, SgdAttrs attrs, Site site = {});

}  // namespace lockstep
