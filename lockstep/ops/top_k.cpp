#include "lockstep/ops/top_k.h"

#include <fmt/format.h>

#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/positions.h"

namespace lockstep {

Types TopKCorrect::infer(const Types& in) const {
  check_float(info.name, "logits", in[0]);
  if (k < 1) refuse(info.name, "k must be at least 1", std::to_string(k));
  if (in[0].shape.size() != 2 || in[1] != Type{DType::i32, {in[0].shape[0]}})
    refuse(info.name, "label does not fit logits", inputs_text(info, in), "logits (B, K), label i32 (B)");
  return {{in[0].dtype, in[1].shape}};
}

Values TopKCorrect::grad(NodeView, const Values&) const { return Values(2); }

void TopKCorrect::eval(Args a) const {
  const auto& logits = a.in[0]->real;
  int64_t classes = a.in[0]->shape()[1];
  for (int64_t b = 0; b < a.in[1]->size(); ++b) {
    int64_t label = a.in[1]->whole[b];
    if (label < 0 || label >= classes)
      throw data_error(fmt::format("top_k_correct: label[{}] = {} is out of range", b, label))
          .but(std::to_string(label), fmt::format("0..{}", classes - 1));
    double own = logits[b * classes + label];
    int64_t ahead = 0;
    for (int64_t c = 0; c < classes; ++c) {
      double other = logits[b * classes + c];
      ahead += other > own || (other == own && c < label);
    }
    a.out[0]->real[b] = !is_nan(own) && ahead < k;
  }
}

Cost TopKCorrect::cost(const Types& in) const {
  Cost cost = streaming_cost(in, infer(in), 0);
  cost.flops = static_cast<double>(in[0].elements());
  return cost;
}

OpCases TopKCorrect::cases() {
  OpCases all;
  auto one = [&](int64_t k, const char* logits, const char* label) {
    Type t = parse_type(logits);
    all.push_back(op_case(TopKCorrect{k}, {t, parse_type(label)},
                          {Domain{}, Domain{0, static_cast<double>(t.shape[1])}}));
  };
  one(1, "f32[5,3]", "i32[5]");
  one(2, "f64[7,5]", "i32[7]");
  one(5, "f32[3,4]", "i32[3]");
  one(1, "f32[1,1]", "i32[1]");
  one(1, "f32[0,3]", "i32[0]");
  one(2, "f16[3,7]", "i32[3]");
  one(1, "bf16[3,3]", "i32[3]");
  return all;
}

Value top_k_correct(Value logits, Value label, int64_t k, Site site) {
  return emit_one(TopKCorrect{k}, {logits, label}, site);
}

}  // namespace lockstep
