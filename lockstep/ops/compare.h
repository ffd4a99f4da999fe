// Comparisons of two values of one element type, which broadcast as in NumPy. A comparison with NaN is false.
#pragma once

#include <compare>

#include "lockstep/ir/graph.h"

namespace lockstep {

constexpr OpInfo compare_info(std::string_view name) {
  return {
      .name = name, .inputs = {"a", "b"}, .outputs = {"y"}, .gradient = Gradient::none, .elementwise = true};
}

/// What comparisons share; `F` says holds(order of a and b).
template <class F>
struct Compare {
  static constexpr auto attrs = fields();
  Types infer(const Types& in) const;
  Values grad(NodeView, const Values&) const { return Values(2); }
  void eval(Args a) const;
  Cost cost(const Types& in) const { return streaming_cost(in, infer(in), 1); }
  static OpCases cases();
};

/// y = a < b
struct Less : Compare<Less> {
  static constexpr OpInfo info = compare_info("less");
  static bool holds(std::partial_ordering order) { return order < 0; }
};
/// y = (a == b)
struct Equal : Compare<Equal> {
  static constexpr OpInfo info = compare_info("equal");
  static bool holds(std::partial_ordering order) { return order == 0; }
};
/// y = a > b
struct Greater : Compare<Greater> {
  static constexpr OpInfo info = compare_info("greater");
  static bool holds(std::partial_ordering order) { return order > 0; }
};
extern template struct Compare<Less>;
extern template struct Compare<Equal>;
extern template struct Compare<Greater>;

/// -> pred
Value less(Value a, Value b, Site site = {});
Value equal(Value a, Value b, Site site = {});
Value greater(Value a, Value b, Site site = {});

}  // namespace lockstep
