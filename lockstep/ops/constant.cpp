#include "lockstep/ops/constant.h"

#include <algorithm>
#include <cmath>

#include "lockstep/ops/positions.h"

namespace lockstep {

namespace {
/// The smallest value of an integer type, and the first above its largest.
Domain range_of(DType dtype) {
  switch (dtype) {
    case DType::i32:
      return {-0x1p31, 0x1p31};
    case DType::i64:
      return {-0x1p63, 0x1p63};
    case DType::u8:
      return {0, 256};
    case DType::u64:
      return {0, 0x1p64};
    case DType::pred:
      return {0, 2};
    default:
      return {-INFINITY, INFINITY};
  }
}
}  // namespace

Types Constant::infer(const Types&) const {
  check_shape(info.name, shape);
  auto range = range_of(dtype);
  if (!is_float(dtype) && !(value >= range.low && value < range.high && value == std::trunc(value)))
    refuse(info.name, "the element type cannot hold the value",
           number_text(value) + " as " + std::string(name_of(dtype)));
  return {{dtype, shape}};
}

Values Constant::grad(NodeView, const Values&) const { return {}; }

void Constant::eval(Args a) const {
  Tensor& y = *a.out[0];
  std::fill(y.real.begin(), y.real.end(), value);
  if (y.is_real()) return;
  int64_t whole =
      dtype == DType::u64 ? static_cast<int64_t>(static_cast<uint64_t>(value)) : static_cast<int64_t>(value);
  std::fill(y.whole.begin(), y.whole.end(), whole);
}

Cost Constant::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }

OpCases Constant::cases() {
  OpCases all;
  auto one = [&](double value, const char* type) {
    Type t = parse_type(type);
    all.push_back(op_case(Constant{value, t.shape, t.dtype}, {}));
  };
  one(0.1, "f32[2,3]");
  one(-1e-300, "f64[]");
  one(INFINITY, "f32[1]");
  one(0, "f64[0]");
  one(0.5, "f16[5]");
  one(3, "bf16[7]");
  one(-7, "i32[3]");
  one(9007199254740992.0, "i64[]");
  one(255, "u8[3]");
  one(0x1p63, "u64[1]");
  one(1, "pred[3]");
  return all;
}

Value constant(Graph& graph, double value, Type type, Site site) {
  return emit_row(graph, op_row<Constant>(),
                  std::make_shared<const Constant>(Constant{value, std::move(type.shape), type.dtype}), {},
                  site)[0];
}

}  // namespace lockstep
