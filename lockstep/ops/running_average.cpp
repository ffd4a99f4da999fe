#include "lockstep/ops/running_average.h"

#include "lockstep/ops/require.h"

namespace lockstep {

Types RunningAverage::infer(const Types& in) const {
  require_float(info, in, 0);
  require_type(info, in, 1, in[0], "old");
  require_type(info, in, 2, {DType::pred, {}}, "a single yes or no");
  if (!(momentum >= 0 && momentum <= 1))
    refuse(info.name, "momentum is out of range", number_text(momentum), "0..1");
  if (unbiased_count < 0)
    refuse(info.name, "unbiased_count is negative", std::to_string(unbiased_count), "0 or at least 2");
  if (unbiased_count == 1)
    refuse(info.name, "a single value per channel has no unbiased variance", "unbiased_count 1",
           "more than 1 value per channel");
  return {in[0]};
}

Values RunningAverage::grad(NodeView, const Values&) const { return {{}, {}, {}}; }

void RunningAverage::eval(Args a) const {
  const auto &old = a.in[0]->real, &batch = a.in[1]->real;
  auto& next = a.out[0]->real;
  bool apply = a.in[2]->whole[0] != 0;
  auto n = static_cast<double>(unbiased_count);
  double factor = unbiased_count > 1 ? n / (n - 1) : 1;
  for (size_t i = 0; i < next.size(); ++i)
    next[i] = apply ? (1 - momentum) * old[i] + momentum * (batch[i] * factor) : old[i];
}

Cost RunningAverage::cost(const Types& in) const { return streaming_cost(in, infer(in), 3); }

OpCases RunningAverage::cases() {
  OpCases cases;
  for (auto dtype : {DType::f32, DType::f64})
    for (const Shape& shape : {Shape{5}, Shape{1}, Shape{}, Shape{0}, Shape{3, 2}})
      for (int64_t count : {0, 2, 12}) {
        Type t{dtype, shape};
        cases.push_back(
            op_case(RunningAverage{0.1, count}, {t, t, {DType::pred, {}}}, {{}, {0.5, 2}, {0, 2}}));
      }
  return cases;
}

Value running_average(Value old, Value batch, Value apply, double momentum, int64_t unbiased_count,
                      Site site) {
  return emit_one(RunningAverage{momentum, unbiased_count}, {old, batch, apply}, site);
}

}  // namespace lockstep
