#include "lockstep/ops/cast.h"

#include <cmath>
#include <limits>

namespace lockstep {

namespace {
template <class T>
int64_t truncated(double v) {
  using L = std::numeric_limits<T>;
  if (std::isnan(v)) return 0;
  if (v <= static_cast<double>(L::min())) return static_cast<int64_t>(L::min());
  if (v >= std::ldexp(1.0, L::digits)) return static_cast<int64_t>(L::max());
  return static_cast<int64_t>(static_cast<T>(v));
}

int64_t whole_of(double v, DType to) {
  switch (to) {
    case DType::i32:
      return truncated<int32_t>(v);
    case DType::i64:
      return truncated<int64_t>(v);
    case DType::u8:
      return truncated<uint8_t>(v);
    case DType::u64:
      return truncated<uint64_t>(v);
    default:
      return v != 0;
  }
}
}  // namespace

Types Cast::infer(const Types& in) const { return {{to, in[0].shape}}; }

Values Cast::grad(NodeView n, const Values& dy) const {
  DType from = n.in(0).type().dtype;
  if (!is_float(from) || !is_float(to)) return {Value{}};
  return {cast(dy[0], from)};
}

void Cast::eval(Args a) const {
  const Tensor& x = *a.in[0];
  Tensor& y = *a.out[0];
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.is_real() && y.is_real())
      y.real[i] = x.real[i];  // rounded with every other result, when rounding is asked for
    else if (x.is_real())
      y.whole[i] = whole_of(x.real[i], to);
    else if (y.is_real())
      y.real[i] = x.type.dtype == DType::u64 ? static_cast<double>(static_cast<uint64_t>(x.whole[i]))
                                             : static_cast<double>(x.whole[i]);
    else
      y.whole[i] = x.whole[i];
  }
  if (!x.is_real() && !y.is_real()) round_to_type(y);
}

Cost Cast::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }

OpCases Cast::cases() {
  OpCases all;
  auto one = [&](const char* x, DType to, Domain domain = {}) {
    all.push_back(op_case(Cast{to}, {parse_type(x)}, {domain}));
  };
  one("f32[2,3]", DType::f64);
  one("f64[5]", DType::f32);
  one("f64[]", DType::f16);
  one("f32[7]", DType::bf16);
  one("f16[3,1]", DType::f32);
  one("bf16[5]", DType::f16);
  one("f32[1]", DType::f32);
  one("f32[0]", DType::f16);
  one("f64[0]", DType::i32);
  one("f32[7]", DType::i32, {-5, 5});
  one("f64[5]", DType::u8, {-5, 5});
  one("f32[3]", DType::pred);
  one("i32[7]", DType::f32, {-5, 5});
  one("u8[3]", DType::f16, {0, 256});
  one("pred[5]", DType::f32, {0, 2});
  one("i64[3]", DType::u8, {-5, 5});
  one("u64[1]", DType::f64, {0, 9});
  return all;
}

Value cast(Value x, DType to, Site site) { return x.type().dtype == to ? x : emit_one(Cast{to}, {x}, site); }

}  // namespace lockstep
