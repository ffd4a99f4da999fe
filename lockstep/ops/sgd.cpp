#include "lockstep/ops/sgd.h"

#include <cmath>

#include "lockstep/ops/require.h"

namespace lockstep {

Types Sgd::infer(const Types& in) const {
  require_float(info, in, 0);
  require_type(info, in, 1, in[0], "w");
  require_type(info, in, 2, in[0], "w");
  require_float(info, in, 3);
  require_rank(info, in, 3, 0, "a scalar");
  require_type(info, in, 4, {DType::pred, {}}, "a single yes or no");
  if (!(momentum >= 0 && momentum <= 1))
    refuse(info.name, "momentum is out of range", number_text(momentum), "0..1");
  if (!(weight_decay >= 0) || std::isinf(weight_decay))
    refuse(info.name, "weight_decay is out of range", number_text(weight_decay), "0 or more");
  if (nesterov && momentum == 0) refuse(info.name, "nesterov needs momentum", "momentum 0", "more than 0");
  return {in[0], in[0]};
}

Values Sgd::grad(NodeView, const Values&) const { return {{}, {}, {}, {}, {}}; }

void Sgd::eval(Args a) const {
  const auto &w = a.in[0]->real, &g = a.in[1]->real, &m = a.in[2]->real;
  auto &w_next = a.out[0]->real, &m_next = a.out[1]->real;
  double rate = a.in[3]->real[0];
  bool apply = a.in[4]->whole[0] != 0;
  for (size_t i = 0; i < w.size(); ++i) {
    if (!apply) {
      w_next[i] = w[i];
      m_next[i] = m[i];
      continue;
    }
    double d = g[i] + weight_decay * w[i];
    if (form == SgdForm::rate_outside) {
      m_next[i] = momentum * m[i] + d;
      w_next[i] = w[i] - rate * (nesterov ? d + momentum * m_next[i] : m_next[i]);
    } else {
      m_next[i] = momentum * m[i] + rate * d;
      w_next[i] = w[i] - (nesterov ? momentum * m_next[i] + rate * d : m_next[i]);
    }
  }
}

Cost Sgd::cost(const Types& in) const { return streaming_cost(in, infer(in), 4); }

OpCases Sgd::cases() {
  OpCases cases;
  auto add = [&](SgdAttrs attrs, DType dtype, Shape shape) {
    Type t{dtype, std::move(shape)};
    cases.push_back(
        op_case(Sgd{attrs}, {t, t, t, {dtype, {}}, {DType::pred, {}}}, {{}, {}, {}, {0.01, 0.5}, {0, 2}}));
  };
  for (auto dtype : {DType::f32, DType::f64}) {
    for (auto form : {SgdForm::rate_outside, SgdForm::rate_inside}) {
      add({form, 0.9, false, 0}, dtype, {5, 3});
      add({form, 0.9, true, 1e-2}, dtype, {7});
      add({form, 0, false, 1e-4}, dtype, {2, 1, 3, 3});
    }
    add({}, dtype, {});
    add({SgdForm::rate_outside, 0.9, false, 1e-4}, dtype, {1});
    add({SgdForm::rate_inside, 0.9, false, 1e-4}, dtype, {0, 4});
  }
  return cases;
}

SgdOutputs sgd(Value w, Value g, Value m, Value rate, Value apply, SgdAttrs attrs, Site site) {
  auto out = emit(Sgd{attrs}, {w, g, m, rate, apply}, site);
  return {out[0], out[1]};
}

}  // namespace lockstep
