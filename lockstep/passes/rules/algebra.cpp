// The rewrite table. Each row is fuzzed by evaluating both sides (tests/unit/rules_test.cpp).
#include "lockstep/passes/rules/rule.h"

namespace lockstep {
namespace {
bool same_type(const Match& m) { return m.type("x") == m.result(); }
/// Reading the inner value of a float cast chain is exact when the middle type holds every value of the
/// first.
bool widens_between(const Match& m) {
  const auto& inner = m.graph->nodes()[m.graph->producer(m.root->in[0])];
  auto from = m.type("x").dtype, middle = m.graph->type(inner.out[0]).dtype;
  auto wide = [](DType d) {
    return d == DType::f64 ? 3 : d == DType::f32 ? 2 : d == DType::f16 || d == DType::bf16 ? 1 : 0;
  };
  return is_float(from) && is_float(middle) && (from == middle || (wide(middle) > wide(from)));
}
}  // namespace

const std::vector<Rule>& algebra_rules() {
  static const std::vector<Rule> table{
      {"add_zero", "add(x, constant{value=0})", "x", same_type},
      {"zero_add", "add(constant{value=0}, x)", "x", same_type},
      {"sub_zero", "sub(x, constant{value=0})", "x", same_type},
      {"mul_one", "mul(x, constant{value=1})", "x", same_type},
      {"one_mul", "mul(constant{value=1}, x)", "x", same_type},
      {"div_one", "div(x, constant{value=1})", "x", same_type},
      {"neg_neg", "neg(neg(x))", "x", nullptr},
      {"relu_relu", "relu(relu(x))", "relu(x)", nullptr},
      {"abs_abs", "abs(abs(x))", "abs(x)", nullptr},
      {"abs_neg", "abs(neg(x))", "abs(x)", nullptr},
      {"square_neg", "square(neg(x))", "square(x)", nullptr},
      {"sub_neg", "sub(x, neg(y))", "add(x, y)", nullptr},
      {"add_neg", "add(x, neg(y))", "sub(x, y)", nullptr},
      {"scale_one", "scale{factor=1}(x)", "x", nullptr},
      {"shift_zero", "shift{by=0}(x)", "x", nullptr},
      {"cast_same", "cast(x)", "x", same_type},
      {"cast_cast", "cast(cast(x))", "cast{...}(x)", widens_between},
      {"reshape_same", "reshape(x)", "x", same_type},
      {"reshape_reshape", "reshape(reshape(x))", "reshape{...}(x)", nullptr},
      {"broadcast_same", "broadcast_to(x)", "x", same_type},
      {"broadcast_broadcast", "broadcast_to(broadcast_to(x))", "broadcast_to{...}(x)", nullptr},
      {"sum_to_same", "sum_to(x)", "x", same_type},
      {"sum_of_one", "sum_n(x)", "x", nullptr},
      {"select_same", "select(p, x, x)", "x", nullptr},
      {"dropout_zero", "dropout{rate=0}(x, seed, step, key)", "x", nullptr},
  };
  return table;
}

}  // namespace lockstep
