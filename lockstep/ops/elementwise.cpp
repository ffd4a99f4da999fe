#include "lockstep/ops/elementwise.h"

#include <cmath>

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/compare.h"
#include "lockstep/ops/constant.h"
#include "lockstep/ops/positions.h"
#include "lockstep/ops/select.h"

namespace lockstep {

// ---- the families ----------------------------------------------------------------------------------------

Types infer_unary(const OpInfo& info, const Types& in) {
  check_float(info.name, "x", in[0]);
  return {in[0]};
}

Types infer_binary(const OpInfo& info, const Types& in) {
  for (const auto& t : in)
    if (t.dtype == DType::pred)
      refuse(info.name, "a and b must be numbers", inputs_text(info, in), "floating point or integers");
  return {broadcast_type(info, in, in[0].dtype)};
}

void eval_binary(Args a, double (*real)(double, double), int64_t (*whole)(int64_t, int64_t),
                 uint64_t (*natural)(uint64_t, uint64_t)) {
  const Tensor &x = *a.in[0], &y = *a.in[1];
  Tensor& out = *a.out[0];
  auto xs = broadcast_positions(x.shape(), out.shape()), ys = broadcast_positions(y.shape(), out.shape());
  for (size_t i = 0; i < xs.size(); ++i) {
    if (out.is_real())
      out.real[i] = real(x.real[xs[i]], y.real[ys[i]]);
    else if (out.type.dtype != DType::u64)
      out.whole[i] = whole(x.whole[xs[i]], y.whole[ys[i]]);
    else
      out.whole[i] = static_cast<int64_t>(
          natural(static_cast<uint64_t>(x.whole[xs[i]]), static_cast<uint64_t>(y.whole[ys[i]])));
  }
}

Values sum_to_inputs(NodeView n, const Values& gradients) {
  return {sum_to(gradients[0], n.in(0).shape()), sum_to(gradients[1], n.in(1).shape())};
}

OpCases unary_cases(const std::shared_ptr<const void>& attrs, Domain x) {
  OpCases all;
  for (const char* type :
       {"f32[2,3]", "f64[5]", "f64[]", "f32[0]", "f32[1]", "f64[3,0]", "f32[3,1,5]", "f16[7]", "bf16[1,9]"})
    all.push_back({attrs, {parse_type(type)}, {x}});
  return all;
}

OpCases binary_cases(const std::shared_ptr<const void>& attrs, Domain float_b, Domain whole_b) {
  struct Pair {
    const char *a, *b;
  };
  OpCases all;
  for (auto [a, b] : {Pair{"f32[2,3]", "f32[2,3]"},
                      {"f32[2,3]", "f32[3]"},
                      {"f64[2,1,3]", "f64[4,1]"},
                      {"f64[]", "f64[5]"},
                      {"f64[]", "f64[]"},
                      {"f32[1]", "f32[1]"},
                      {"f32[0]", "f32[1]"},
                      {"f64[0,3]", "f64[3]"},
                      {"f32[7,1]", "f32[1,5]"},
                      {"f16[7]", "f16[7]"},
                      {"bf16[5]", "bf16[]"}})
    all.push_back({attrs, {parse_type(a), parse_type(b)}, {Domain{}, float_b}});
  for (auto [a, b] : {Pair{"i32[3]", "i32[3]"},
                      {"i64[2,1]", "i64[1,3]"},
                      {"u8[5]", "u8[]"},
                      {"u64[1]", "u64[1]"},
                      {"i32[0]", "i32[0]"}})
    all.push_back({attrs, {parse_type(a), parse_type(b)}, {Domain{-5, 6}, whole_b}});
  return all;
}

// ---- of two values ---------------------------------------------------------------------------------------

namespace {
Value zeros_like(Value x) { return constant(*x.graph, 0, x.type()); }
}  // namespace

int64_t divide_whole(int64_t a, int64_t b, bool is_signed) {
  if (b == 0) throw data_error("div: an integer is divided by zero");
  if (!is_signed) return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  if (b == -1) return static_cast<int64_t>(0 - bits_of(a));  // the smallest integer has no opposite
  return a / b;
}

Values Add::slopes(Value, Value, Value, Value dy) { return {dy, dy}; }

Values Sub::slopes(Value, Value, Value, Value dy) { return {dy, neg(dy)}; }

Values Mul::slopes(Value a, Value b, Value, Value dy) { return {mul(dy, b), mul(dy, a)}; }

Values Div::slopes(Value, Value b, Value y, Value dy) {
  Value da = div(dy, b);
  return {da, neg(mul(da, y))};
}

Values Maximum::slopes(Value a, Value b, Value, Value dy) {
  Value takes_b = less(a, b);
  return {select(takes_b, zeros_like(dy), dy), select(takes_b, dy, zeros_like(dy))};
}

Values Minimum::slopes(Value a, Value b, Value, Value dy) {
  Value takes_b = greater(a, b);
  return {select(takes_b, zeros_like(dy), dy), select(takes_b, dy, zeros_like(dy))};
}

// ---- of one value ----------------------------------------------------------------------------------------

double Neg::value(double x) { return -x; }
Value Neg::slope(Value, Value, Value dy) { return neg(dy); }

double Exp::value(double x) { return std::exp(x); }
Value Exp::slope(Value, Value y, Value dy) { return mul(dy, y); }

double Log::value(double x) { return std::log(x); }
Value Log::slope(Value x, Value, Value dy) { return div(dy, x); }

double Sqrt::value(double x) { return std::sqrt(x); }
Value Sqrt::slope(Value, Value y, Value dy) { return div(scale(dy, 0.5), y); }

double Rsqrt::value(double x) { return 1 / std::sqrt(x); }
Value Rsqrt::slope(Value, Value y, Value dy) { return mul(scale(dy, -0.5), mul(y, square(y))); }

double Tanh::value(double x) { return std::tanh(x); }
Value Tanh::slope(Value, Value y, Value dy) { return mul(dy, shift(neg(square(y)), 1)); }

double Sigmoid::value(double x) {
  double e = std::exp(-std::abs(x));  // never overflows
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}
Value Sigmoid::slope(Value, Value y, Value dy) { return mul(dy, mul(y, shift(neg(y), 1))); }

double Relu::value(double x) { return x <= 0 ? 0 : x; }
Value Relu::slope(Value, Value y, Value dy) { return relu_backward(dy, y); }

double Abs::value(double x) { return std::abs(x); }
Value Abs::slope(Value x, Value, Value dy) { return sub(relu_backward(dy, x), relu_backward(dy, neg(x))); }

double Square::value(double x) { return x * x; }
Value Square::slope(Value x, Value, Value dy) { return mul(dy, scale(x, 2)); }

double Scale::value(double x) const { return x * factor; }
Value Scale::slope(Value, Value, Value dy) const { return scale(dy, factor); }
OpCases Scale::cases() {
  Scale op;
  op.factor = -0.3;
  return unary_cases(std::make_shared<const Scale>(op), {});
}

double Shift::value(double x) const { return x + by; }
Value Shift::slope(Value, Value, Value dy) { return dy; }
OpCases Shift::cases() {
  Shift op;
  op.by = 1.7;
  return unary_cases(std::make_shared<const Shift>(op), {});
}

Types ReluBackward::infer(const Types& in) const {
  check_float(info.name, "dy", in[0]);
  if (in[0] != in[1]) refuse(info.name, "dy and y must have one type", inputs_text(info, in));
  return {in[0]};
}
Values ReluBackward::grad(NodeView n, const Values& dy) const {
  return {relu_backward(dy[0], n.in(1)), Value{}};
}
void ReluBackward::eval(Args a) const {
  for (size_t i = 0; i < a.out[0]->real.size(); ++i)
    a.out[0]->real[i] = a.in[1]->real[i] > 0 ? a.in[0]->real[i] : 0;
}
Cost ReluBackward::cost(const Types& in) const { return streaming_cost(in, infer(in), 1); }
OpCases ReluBackward::cases() {
  OpCases all;
  for (auto& c : unary_cases(std::make_shared<const ReluBackward>(), {}))
    all.push_back({c.attrs, {c.inputs[0], c.inputs[0]}, {}});
  return all;
}

// ---- builders --------------------------------------------------------------------------------------------

Value add(Value a, Value b, Site site) { return emit_one(Add{}, {a, b}, site); }
Value sub(Value a, Value b, Site site) { return emit_one(Sub{}, {a, b}, site); }
Value mul(Value a, Value b, Site site) { return emit_one(Mul{}, {a, b}, site); }
Value div(Value a, Value b, Site site) { return emit_one(Div{}, {a, b}, site); }
Value maximum(Value a, Value b, Site site) { return emit_one(Maximum{}, {a, b}, site); }
Value minimum(Value a, Value b, Site site) { return emit_one(Minimum{}, {a, b}, site); }
Value neg(Value x, Site site) { return emit_one(Neg{}, {x}, site); }
Value exp(Value x, Site site) { return emit_one(Exp{}, {x}, site); }
Value log(Value x, Site site) { return emit_one(Log{}, {x}, site); }
Value sqrt(Value x, Site site) { return emit_one(Sqrt{}, {x}, site); }
Value rsqrt(Value x, Site site) { return emit_one(Rsqrt{}, {x}, site); }
Value tanh(Value x, Site site) { return emit_one(Tanh{}, {x}, site); }
Value sigmoid(Value x, Site site) { return emit_one(Sigmoid{}, {x}, site); }
Value relu(Value x, Site site) { return emit_one(Relu{}, {x}, site); }
Value abs(Value x, Site site) { return emit_one(Abs{}, {x}, site); }
Value square(Value x, Site site) { return emit_one(Square{}, {x}, site); }
Value scale(Value x, double factor, Site site) {
  Scale op;
  op.factor = factor;
  return emit_one(op, {x}, site);
}
Value shift(Value x, double by, Site site) {
  Shift op;
  op.by = by;
  return emit_one(op, {x}, site);
}
Value relu_backward(Value dy, Value y, Site site) { return emit_one(ReluBackward{}, {dy, y}, site); }

}  // namespace lockstep
