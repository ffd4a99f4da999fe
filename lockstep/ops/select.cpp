#include "lockstep/ops/select.h"

#include "lockstep/ops/constant.h"
#include "lockstep/ops/positions.h"

namespace lockstep {

Types Select::infer(const Types& in) const {
  if (in[0].dtype != DType::pred) refuse(info.name, "pred must be a truth value", type_text(in[0]), "pred");
  if (in[1] != in[2]) refuse(info.name, "a and b must have one type", inputs_text(info, in));
  if (!in[0].shape.empty() && in[0].shape != in[1].shape)
    refuse(info.name, "pred must be a scalar or have the shape of a and b", inputs_text(info, in));
  return {in[1]};
}

Values Select::grad(NodeView n, const Values& dy) const {
  Value zero = constant(*n.graph, 0, dy[0].type());
  return {Value{}, select(n.in(0), dy[0], zero), select(n.in(0), zero, dy[0])};
}

void Select::eval(Args a) const {
  const Tensor &pred = *a.in[0], &x = *a.in[1], &y = *a.in[2];
  auto chosen = [&](size_t i) { return pred.whole[pred.shape().empty() ? 0 : i] != 0; };
  with_elements(x, *a.out[0], [&](const auto& from, auto& out) {
    for (size_t i = 0; i < out.size(); ++i)
      if (chosen(i)) out[i] = from[i];
  });
  with_elements(y, *a.out[0], [&](const auto& from, auto& out) {
    for (size_t i = 0; i < out.size(); ++i)
      if (!chosen(i)) out[i] = from[i];
  });
}

Cost Select::cost(const Types& in) const { return streaming_cost(in, infer(in), 1); }

OpCases Select::cases() {
  OpCases all;
  auto one = [&](const char* pred, const char* ab) {
    all.push_back(op_case(Select{}, {parse_type(pred), parse_type(ab), parse_type(ab)}, {Domain{0, 2}}));
  };
  one("pred[2,3]", "f32[2,3]");
  one("pred[]", "f64[5]");
  one("pred[]", "f32[]");
  one("pred[1]", "f64[1]");
  one("pred[0]", "f32[0]");
  one("pred[7]", "f16[7]");
  one("pred[]", "bf16[3,3]");
  one("pred[5]", "i32[5]");
  one("pred[3]", "pred[3]");
  return all;
}

Value select(Value pred, Value a, Value b, Site site) { return emit_one(Select{}, {pred, a, b}, site); }

}  // namespace lockstep
