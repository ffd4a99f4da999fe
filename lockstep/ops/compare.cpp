#include "lockstep/ops/compare.h"

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/positions.h"

namespace lockstep {

template <class F>
Types Compare<F>::infer(const Types& in) const {
  return {broadcast_type(F::info, in, DType::pred)};
}

template <class F>
void Compare<F>::eval(Args a) const {
  Tensor& y = *a.out[0];
  auto as = broadcast_positions(a.in[0]->shape(), y.shape()),
       bs = broadcast_positions(a.in[1]->shape(), y.shape());
  for (size_t i = 0; i < as.size(); ++i) y.whole[i] = F::holds(order_of(*a.in[0], as[i], *a.in[1], bs[i]));
}

template <class F>
OpCases Compare<F>::cases() {
  OpCases all;
  auto one = [&](const char* a, const char* b, Domain d = {}) {
    all.push_back(op_case(F{}, {parse_type(a), parse_type(b)}, {d, d}));
  };
  one("f32[2,3]", "f32[2,3]");
  one("f64[2,1,3]", "f64[5,1]");
  one("f32[1]", "f32[]");
  one("f32[0]", "f32[1]");
  one("f16[7]", "f16[7]");
  one("bf16[3]", "bf16[]");
  one("i32[7]", "i32[7]", {0, 3});
  one("i64[5]", "i64[]", {-2, 2});
  one("u8[5]", "u8[5]", {0, 3});
  one("u64[5]", "u64[5]", {0, 3});
  one("pred[5]", "pred[5]", {0, 2});
  return all;
}

template struct Compare<Less>;
template struct Compare<Equal>;
template struct Compare<Greater>;

Value less(Value a, Value b, Site site) { return emit_one(Less{}, {a, b}, site); }
Value equal(Value a, Value b, Site site) { return emit_one(Equal{}, {a, b}, site); }
Value greater(Value a, Value b, Site site) { return emit_one(Greater{}, {a, b}, site); }

}  // namespace lockstep
