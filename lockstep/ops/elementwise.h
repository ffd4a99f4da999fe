// Elementwise functions of one or two values. Two operands broadcast as in NumPy and share one element type.
// A function is a record of a few lines: its value at a point and its gradient; the rest is shared by its
// family.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "lockstep/ir/graph.h"

namespace lockstep {

constexpr OpInfo unary_info(std::string_view name) {
  return {.name = name, .inputs = {"x"}, .outputs = {"y"}, .elementwise = true};
}
constexpr OpInfo binary_info(std::string_view name) {
  return {.name = name, .inputs = {"a", "b"}, .outputs = {"y"}, .elementwise = true};
}
Types infer_unary(const OpInfo& info, const Types& in);   ///< floating point only
Types infer_binary(const OpInfo& info, const Types& in);  ///< floating point and integers
OpCases unary_cases(const std::shared_ptr<const void>& attrs, Domain x);
OpCases binary_cases(const std::shared_ptr<const void>& attrs, Domain float_b, Domain whole_b);

/// y = f(x). `F` says value(x) and slope(x, y, dy) -> dx, and may say the domain of test inputs.
template <class F>
struct Unary {
  static constexpr auto attrs = fields();
  static constexpr Domain domain{};
  Types infer(const Types& in) const { return infer_unary(F::info, in); }
  Values grad(NodeView n, const Values& dy) const { return {self().slope(n.in(0), n.out(0), dy[0])}; }
  void eval(Args a) const {
    for (size_t i = 0; i < a.out[0]->real.size(); ++i) a.out[0]->real[i] = self().value(a.in[0]->real[i]);
  }
  Cost cost(const Types& in) const { return streaming_cost(in, infer(in), 1); }
  static OpCases cases() { return unary_cases(std::make_shared<const F>(), F::domain); }

 private:
  const F& self() const { return static_cast<const F&>(*this); }
};

Values sum_to_inputs(NodeView n, const Values& gradients);
void eval_binary(Args a, double (*real)(double, double), int64_t (*whole)(int64_t, int64_t),
                 uint64_t (*natural)(uint64_t, uint64_t));

/// y = f(a, b). `F` says value(a, b) for double, int64_t and uint64_t, and slopes(a, b, y, dy) -> gradients
/// of the shape of y, which are then summed to the shapes of a and b.
template <class F>
struct Binary {
  static constexpr auto attrs = fields();
  static constexpr Domain float_b{}, whole_b{};
  Types infer(const Types& in) const { return infer_binary(F::info, in); }
  Values grad(NodeView n, const Values& dy) const {
    return sum_to_inputs(n, F::slopes(n.in(0), n.in(1), n.out(0), dy[0]));
  }
  void eval(Args a) const { eval_binary(a, F::value, F::value, F::value); }
  Cost cost(const Types& in) const { return streaming_cost(in, infer(in), 1); }
  static OpCases cases() { return binary_cases(std::make_shared<const F>(), F::float_b, F::whole_b); }
};

// ---- of two values ---------------------------------------------------------------------------------------
// Integers wrap around: their arithmetic is done without a sign, where overflow is defined.

template <class T>
constexpr auto bits_of(T v) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<uint64_t>(v);
  else
    return v;
}
template <class T>
bool is_nan(T v) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(v);
}
/// Truncates toward zero; throws a data error when b is 0.
int64_t divide_whole(int64_t a, int64_t b, bool is_signed);

/// y = a + b
struct Add : Binary<Add> {
  static constexpr OpInfo info = binary_info("add");
  template <class T>
  static T value(T a, T b) {
    return static_cast<T>(bits_of(a) + bits_of(b));
  }
  static Values slopes(Value a, Value b, Value y, Value dy);
};
/// y = a - b
struct Sub : Binary<Sub> {
  static constexpr OpInfo info = binary_info("sub");
  template <class T>
  static T value(T a, T b) {
    return static_cast<T>(bits_of(a) - bits_of(b));
  }
  static Values slopes(Value a, Value b, Value y, Value dy);
};
/// y = a * b
struct Mul : Binary<Mul> {
  static constexpr OpInfo info = binary_info("mul");
  template <class T>
  static T value(T a, T b) {
    return static_cast<T>(bits_of(a) * bits_of(b));
  }
  static Values slopes(Value a, Value b, Value y, Value dy);
};
/// y = a / b. Integers truncate toward zero; division of an integer by zero is a data error.
struct Div : Binary<Div> {
  static constexpr OpInfo info = binary_info("div");
  static constexpr Domain float_b{0.5, 2}, whole_b{1, 5};
  template <class T>
  static T value(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(
          divide_whole(static_cast<int64_t>(a), static_cast<int64_t>(b), std::is_signed_v<T>));
    else
      return a / b;
  }
  static Values slopes(Value a, Value b, Value y, Value dy);
};
/// y = the larger of a and b, NaN if either is. Where they are equal the gradient goes to a.
struct Maximum : Binary<Maximum> {
  static constexpr OpInfo info = binary_info("maximum");
  template <class T>
  static T value(T a, T b) {
    return is_nan(a) || a >= b ? a : b;
  }
  static Values slopes(Value a, Value b, Value y, Value dy);
};
/// y = the smaller of a and b, NaN if either is. Where they are equal the gradient goes to a.
struct Minimum : Binary<Minimum> {
  static constexpr OpInfo info = binary_info("minimum");
  template <class T>
  static T value(T a, T b) {
    return is_nan(a) || a <= b ? a : b;
  }
  static Values slopes(Value a, Value b, Value y, Value dy);
};

// ---- of one value ----------------------------------------------------------------------------------------

/// y = -x
struct Neg : Unary<Neg> {
  static constexpr OpInfo info = unary_info("neg");
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = e^x
struct Exp : Unary<Exp> {
  static constexpr OpInfo info = unary_info("exp");
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = natural logarithm of x
struct Log : Unary<Log> {
  static constexpr OpInfo info = unary_info("log");
  static constexpr Domain domain{0.5, 2};
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = x^(1/2)
struct Sqrt : Unary<Sqrt> {
  static constexpr OpInfo info = unary_info("sqrt");
  static constexpr Domain domain{0.5, 2};
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = x^(-1/2)
struct Rsqrt : Unary<Rsqrt> {
  static constexpr OpInfo info = unary_info("rsqrt");
  static constexpr Domain domain{0.5, 2};
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = (e^x - e^-x) / (e^x + e^-x)
struct Tanh : Unary<Tanh> {
  static constexpr OpInfo info = unary_info("tanh");
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = 1 / (1 + e^-x)
struct Sigmoid : Unary<Sigmoid> {
  static constexpr OpInfo info = unary_info("sigmoid");
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = max(x, 0); NaN stays NaN. The gradient at 0 is 0.
struct Relu : Unary<Relu> {
  static constexpr OpInfo info = unary_info("relu");
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = |x|. The gradient at 0 is 0.
struct Abs : Unary<Abs> {
  static constexpr OpInfo info = unary_info("abs");
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = x^2
struct Square : Unary<Square> {
  static constexpr OpInfo info = unary_info("square");
  static double value(double x);
  static Value slope(Value x, Value y, Value dy);
};
/// y = x * factor
struct Scale : Unary<Scale> {
  double factor = 1;
  static constexpr OpInfo info = unary_info("scale");
  static constexpr auto attrs = fields(field("factor", &Scale::factor));
  double value(double x) const;
  Value slope(Value x, Value y, Value dy) const;
  static OpCases cases();
};
/// y = x + by
struct Shift : Unary<Shift> {
  double by = 0;
  static constexpr OpInfo info = unary_info("shift");
  static constexpr auto attrs = fields(field("by", &Shift::by));
  double value(double x) const;
  static Value slope(Value x, Value y, Value dy);
  static OpCases cases();
};
/// dx = dy where y > 0, else 0. y may be the input of the relu as well as its output.
struct ReluBackward {
  static constexpr OpInfo info{
      .name = "relu_backward", .inputs = {"dy", "y"}, .outputs = {"dx"}, .elementwise = true};
  static constexpr auto attrs = fields();
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value add(Value a, Value b, Site site = {});
Value sub(Value a, Value b, Site site = {});
Value mul(Value a, Value b, Site site = {});
Value div(Value a, Value b, Site site = {});
Value maximum(Value a, Value b, Site site = {});
Value minimum(Value a, Value b, Site site = {});
Value neg(Value x, Site site = {});
Value exp(Value x, Site site = {});
Value log(Value x, Site site = {});
Value sqrt(Value x, Site site = {});
Value rsqrt(Value x, Site site = {});
Value tanh(Value x, Site site = {});
Value sigmoid(Value x, Site site = {});
Value relu(Value x, Site site = {});
Value abs(Value x, Site site = {});
Value square(Value x, Site site = {});
Value scale(Value x, double factor, Site site = {});
Value shift(Value x, double by, Site site = {});
Value relu_backward(Value dy, Value y, Site site = {});

}  // namespace lockstep
