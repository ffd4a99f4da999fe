#include "lockstep/ops/all_finite.h"

#include <cmath>

#include "lockstep/ops/positions.h"

namespace lockstep {

Types AllFinite::infer(const Types& in) const {
  for (const auto& t : in) check_float(info.name, "each of xs", t);
  return {{DType::pred, {}}};
}

Values AllFinite::grad(NodeView n, const Values&) const { return Values(n.graph->nodes()[n.node].in.size()); }

void AllFinite::eval(Args a) const {
  a.out[0]->whole[0] = 1;
  for (const Tensor* x : a.in)
    for (double v : x->real)
      if (!std::isfinite(v)) a.out[0]->whole[0] = 0;
}

Cost AllFinite::cost(const Types& in) const {
  Cost cost = streaming_cost(in, infer(in), 0);
  for (const auto& t : in) cost.flops += static_cast<double>(t.elements());
  return cost;
}

OpCases AllFinite::cases() {
  OpCases all;
  auto one = [&](std::vector<const char*> xs) {
    Types types;
    for (const auto* x : xs) types.push_back(parse_type(x));
    all.push_back(op_case(AllFinite{}, types));
  };
  one({"f32[2,3]"});
  one({"f32[5]", "f64[3,1]", "f16[7]", "bf16[3]"});
  one({"f64[]"});
  one({"f32[1]"});
  one({"f32[0]"});
  return all;
}

Value all_finite(const Values& xs, Site site) { return emit_one(AllFinite{}, xs, site); }

}  // namespace lockstep
