#include "lockstep/ops/counter.h"

#include "lockstep/ops/require.h"

namespace lockstep {

Types Advance::infer(const Types& in) const {
  require_type(info, in, 0, {DType::i64, {}}, "a count");
  require_type(info, in, 1, {DType::pred, {}}, "a single yes or no");
  return {in[0]};
}

Values Advance::grad(NodeView, const Values&) const { return {{}, {}}; }

void Advance::eval(Args a) const {
  a.out[0]->whole[0] = a.in[0]->whole[0] + (a.in[1]->whole[0] != 0 ? 1 : 0);
}

Cost Advance::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }

OpCases Advance::cases() {
  return {op_case(Advance{}, {{DType::i64, {}}, {DType::pred, {}}}, {{0, 1000}, {0, 2}})};
}

Value advance(Value counter, Value apply, Site site) { return emit_one(Advance{}, {counter, apply}, site); }

}  // namespace lockstep
