#include "lockstep/ops/dropout.h"

#include "lockstep/ops/require.h"

namespace lockstep {

Types Dropout::infer(const Types& in) const {
  require_float(info, in, 0);
  if (in[0].shape.empty()) refuse(info.name, "x has no batch axis", type_text(in[0]), "(batch, ...)");
  require_type(info, in, 1, {DType::u64, {}}, "a seed");
  require_type(info, in, 2, {DType::i64, {}}, "a step number");
  require_type(info, in, 3, {DType::u64, {in[0].shape[0]}}, "the batch of x");
  if (!(rate >= 0 && rate < 1)) refuse(info.name, "rate is out of range", number_text(rate), "0 <= rate < 1");
  return {in[0]};
}

Values Dropout::grad(NodeView n, const Values& dy) const {
  return {dropout(dy[0], n.in(1), n.in(2), n.in(3), rate, use), {}, {}, {}};
}

void Dropout::eval(Args a) const {
  const auto& x = a.in[0]->real;
  const auto& key = a.in[3]->whole;
  auto& y = a.out[0]->real;
  uint64_t stream = dropout_stream(static_cast<uint64_t>(a.in[1]->whole[0]), a.in[2]->whole[0], use);
  double scale = 1.0 / (1.0 - static_cast<double>(rate));
  int64_t rows = a.in[0]->shape()[0], row_size = rows == 0 ? 0 : a.in[0]->size() / rows;
  for (int64_t b = 0; b < rows; ++b)
    for (int64_t i = 0; i < row_size; ++i) {
      auto words = philox(stream, static_cast<uint64_t>(key[b]), static_cast<uint64_t>(i / 4));
      bool keep = uniform24(words[i % 4]) >= rate;
      y[b * row_size + i] = keep ? x[b * row_size + i] * scale : 0;
    }
}

Cost Dropout::cost(const Types& in) const { return streaming_cost(in, infer(in), 2); }

OpCases Dropout::cases() {
  OpCases cases;
  for (auto dtype : {DType::f32, DType::f64})
    for (float rate : {0.0f, 0.1f, 0.75f})
      for (const Shape& shape : {Shape{3, 5}, Shape{2, 3, 3}, Shape{1, 1}, Shape{7}, Shape{0, 4}})
        cases.push_back(op_case(
            Dropout{rate, 3}, {{dtype, shape}, {DType::u64, {}}, {DType::i64, {}}, {DType::u64, {shape[0]}}},
            {{}, {0, 1000}, {0, 1000}, {0, 1000}}));
  return cases;
}

Value dropout(Value x, Value seed, Value step, Value key, float rate, uint64_t use, Site site) {
  return emit_one(Dropout{rate, use}, {x, seed, step, key}, site);
}

}  // namespace lockstep
