// An op is one plain struct (see ops/); OpRow is that struct erased: what passes, printers, targets and tests
// see.
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/fields.h"
#include "lockstep/base/shape.h"
#include "lockstep/ir/tensor.h"
#include "lockstep/ir/value.h"

namespace lockstep {

/// Names of inputs or outputs. A last name ending in "..." stands for any number, at least one.
struct Names {
  std::array<std::string_view, 12> list{};
  size_t count = 0;
  constexpr Names(std::initializer_list<std::string_view> names) {
    for (auto n : names) list[count++] = n;
  }
  constexpr bool variadic() const { return count > 0 && list[count - 1].ends_with("..."); }
  constexpr size_t size() const { return count; }
  constexpr std::string_view operator[](size_t i) const { return list[i]; }
};

/// full: `grad` gives all derivatives. first_only: the op is itself a derivative and has none (its check is
/// the gradient check of its forward op). none: not a differentiable function (integers, optimizers, tests).
enum class Gradient { full, first_only, none };

struct OpInfo {
  std::string_view name;
  Names inputs, outputs;
  Gradient gradient = Gradient::full;
  /// Element i of each output depends on element i of equally shaped inputs only (and on scalars): an output
  /// may then overwrite such an input.
  bool elementwise = false;
};

/// Arguments of `eval`. Outputs arrive with their inferred types, filled with zeros.
struct Args {
  std::span<const Tensor* const> in;
  std::span<Tensor* const> out;
};

/// Work of one execution; multiply-adds count two flops; bytes are inputs + outputs touched once.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

/// How tests draw an input: floats uniform in [low, high], integers uniform in low..high-1.
struct Domain {
  double low = -1, high = 1;
};

/// Types and attributes that every test and fuzzer visits.
struct OpCase {
  std::shared_ptr<const void> attrs;
  Types inputs;
  std::vector<Domain> domains;  ///< per input; missing ones are Domain{}
};
using OpCases = std::vector<OpCase>;

template <class T>
OpCase op_case(T attrs, Types inputs, std::vector<Domain> domains = {}) {
  return {std::make_shared<const T>(std::move(attrs)), std::move(inputs), std::move(domains)};
}

template <class T>
concept Op = requires(const T t, Types types, NodeView n, Values v, Args a) {
  { T::info } -> std::convertible_to<OpInfo>;
  T::attrs;
  { t.infer(types) } -> std::same_as<Types>;
  { t.grad(n, v) } -> std::same_as<Values>;  // one per input, empty Value = no gradient flows there
  {t.eval(a)};
  { t.cost(types) } -> std::same_as<Cost>;
  { T::cases() } -> std::same_as<OpCases>;
};

struct OpRow {
  OpInfo info;
  Types (*infer)(const void* attrs, const Types&);
  Values (*grad)(const void* attrs, NodeView, const Values& output_gradients);
  void (*eval)(const void* attrs, Args);
  Cost (*cost)(const void* attrs, const Types& inputs);
  OpCases (*cases)();
  std::string (*print)(const void* attrs);
  std::shared_ptr<const void> (*parse)(std::string_view text);
  bool (*equal)(const void*, const void*);
};

template <Op T>
const OpRow& op_row() {
  static constexpr auto as = [](const void* p) -> const T& { return *static_cast<const T*>(p); };
  static const OpRow row{
      T::info,
      [](const void* a, const Types& in) { return as(a).infer(in); },
      [](const void* a, NodeView n, const Values& dy) { return as(a).grad(n, dy); },
      [](const void* a, Args args) { as(a).eval(args); },
      [](const void* a, const Types& in) { return as(a).cost(in); },
      &T::cases,
      [](const void* a) { return record_text(as(a)); },
      [](std::string_view text) -> std::shared_ptr<const void> {
        auto t = std::make_shared<T>();
        record_parse(text, *t);
        return t;
      },
      [](const void* a, const void* b) { return records_equal(as(a), as(b)); },
  };
  return row;
}

/// Cost of an op that touches each input and output once and does `flops_per_output` on each output element.
Cost streaming_cost(const Types& inputs, const Types& outputs, double flops_per_output);

/// Appends a node. Errors name the op, the layer and the line of the model.
Values emit_row(Graph& graph, const OpRow& row, std::shared_ptr<const void> attrs, const Values& inputs,
                Site site);
/// For ops with at least one input, whose graph it is.
template <Op T>
Values emit(T attrs, const Values& inputs, Site site = {}) {
  return emit_row(*inputs.at(0).graph, op_row<T>(), std::make_shared<const T>(std::move(attrs)), inputs,
                  site);
}
template <Op T>
Value emit_one(T attrs, const Values& inputs, Site site = {}) {
  return emit(std::move(attrs), inputs, site)[0];
}

/// Throws a user error `op: text` with got and want; for use in `infer`.
[[noreturn]] void refuse(std::string_view op, std::string text, std::string got = {}, std::string want = {});
/// Checks the number of inputs against the names.
void check_arity(const OpInfo& info, size_t inputs);

}  // namespace lockstep
