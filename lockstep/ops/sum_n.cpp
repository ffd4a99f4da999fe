#include "lockstep/ops/sum_n.h"

#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/positions.h"

namespace lockstep {

Types SumN::infer(const Types& in) const {
  if (in[0].dtype == DType::pred)
    refuse(info.name, "xs must be numbers", inputs_text(info, in), "floating point or integers");
  for (const auto& t : in)
    if (t != in[0]) refuse(info.name, "xs must have one type", inputs_text(info, in));
  return {in[0]};
}

Values SumN::grad(NodeView n, const Values& dy) const {
  return Values(n.graph->nodes()[n.node].in.size(), dy[0]);
}

void SumN::eval(Args a) const {
  *a.out[0] = *a.in[0];
  for (size_t k = 1; k < a.in.size(); ++k)
    with_elements(*a.in[k], *a.out[0], [&](const auto& x, auto& y) {
      for (size_t i = 0; i < y.size(); ++i) y[i] = Add::value(y[i], x[i]);
    });
}

Cost SumN::cost(const Types& in) const {
  return streaming_cost(in, infer(in), static_cast<double>(in.size() - 1));
}

OpCases SumN::cases() {
  OpCases all;
  auto one = [&](const char* x, size_t count) {
    all.push_back(op_case(SumN{}, Types(count, parse_type(x))));
  };
  one("f32[2,3]", 3);
  one("f64[5]", 2);
  one("f64[]", 1);
  one("f32[1]", 2);
  one("f32[0]", 3);
  one("f16[7]", 5);
  one("bf16[3,3]", 2);
  one("i32[5]", 3);
  return all;
}

Value sum_n(const Values& xs, Site site) { return xs.size() == 1 ? xs[0] : emit_one(SumN{}, xs, site); }

}  // namespace lockstep
