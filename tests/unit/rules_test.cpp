// Each row of the rewrite table: its left side is built with random types and attributes, and both sides, and
// what `simplify` makes of the left one, are evaluated on random inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "lockstep/ir/interpret.h"
#include "lockstep/ir/print.h"
#include "lockstep/ir/verify.h"
#include "lockstep/ops/all.h"
#include "lockstep/passes/rules/rule.h"
#include "lockstep/passes/simplify.h"

namespace lockstep {
namespace {

constexpr int wanted_trials = 40, wanted_refusals = 5, most_attempts = 4000;

class LeftSide {
 public:
  LeftSide(const CompiledRule& rule, uint64_t seed) : rule_(rule), random_(seed) {}

  /// The left side as a graph with output "y"; nothing when the types drawn do not fit together.
  std::optional<Graph> build() {
    Graph graph("rule");
    values_.clear();
    x_ = Type{
        pick<DType>({DType::f32, DType::f64, DType::f16, DType::bf16, DType::f32, DType::i32, DType::u64}),
        pick<Shape>({{}, {1}, {3}, {2, 3}, {2, 1, 3}, {0, 3}, {4, 2}})};
    try {
      graph.output("y", make(graph, rule_.left));
    } catch (const Error& e) {
      if (e.kind != ErrorKind::user) throw;
      return std::nullopt;
    }
    return graph;
  }

  /// Zeros of both signs, infinities and ordinary numbers, all of them values of the type.
  std::map<std::string, Tensor> inputs(const Graph& graph) {
    std::map<std::string, Tensor> all;
    std::normal_distribution<double> ordinary(0, 3);
    for (const auto& s : graph.sources()) {
      Tensor t(graph.type(s.value));
      constexpr double inf = std::numeric_limits<double>::infinity();
      for (auto& v : t.real)
        v = below(3) == 0 ? pick<double>({0.0, -0.0, inf, -inf, 1e-9, -1.0, 1e30}) : ordinary(random_);
      for (auto& v : t.whole) v = static_cast<int64_t>(below(9)) - (t.type.dtype == DType::i32 ? 4 : 0);
      round_to_type(t);
      all[s.name] = t;
    }
    return all;
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  /// Pattern variables have the types that their names stand for in the table.
  Type type_of(const std::string& variable) {
    if (variable == "x") return x_;
    if (variable == "y") return {x_.dtype, related(x_.shape)};
    if (variable == "p") return {DType::pred, below(2) ? x_.shape : Shape{}};
    if (variable == "seed") return {DType::u64, {}};
    if (variable == "step") return {DType::i64, {}};
    if (variable == "key") return {DType::u64, x_.shape.empty() ? Shape{} : Shape{x_.shape[0]}};
    ADD_FAILURE() << "rule " << rule_.rule->name << ": say in this test what type '" << variable << "' has";
    return {};
  }

  /// A shape that broadcasts with `shape`: the same, its end, with ones, or with an axis more.
  Shape related(Shape shape) {
    switch (below(5)) {
      case 0:
        if (!shape.empty()) shape.erase(shape.begin());
        break;
      case 1:
        if (!shape.empty()) shape[below(shape.size())] = 1;
        break;
      case 2:
        shape.insert(shape.begin(), static_cast<int64_t>(below(3)));
        break;
      default:
        break;
    }
    return shape;
  }

  Value make(Graph& graph, const Pattern& p) {
    if (p.op == nullptr) {
      auto it = values_.find(p.variable);
      if (it == values_.end())
        it = values_.emplace(p.variable, graph.stream(p.variable, type_of(p.variable))).first;
      return it->second;
    }
    Values in;
    for (const auto& i : p.inputs) in.push_back(make(graph, i));
    return emit_row(graph, *p.op, p.op->parse(attributes(p, in)), in, {})[0];
  }

  /// What the pattern demands and, for the rest, something that fits the inputs.
  std::string attributes(const Pattern& p, const Values& in) {
    std::vector<std::string> parts;
    if (p.attributes.size() > 2) parts.push_back(p.attributes.substr(1, p.attributes.size() - 2));
    auto add = [&](std::string_view name, const std::string& value) {
      parts.push_back(std::string(name) + "=" + value);
    };
    auto op = p.op->info.name;
    if (op == "constant") {
      add("shape", field_text(related(x_.shape)));
      add("dtype", field_text(x_.dtype));
    } else if (op == "cast") {
      add("to",
          field_text(pick<DType>({DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, x_.dtype})));
    } else if (op == "reshape") {
      add("shape", field_text(reshaped(in[0].shape())));
    } else if (op == "broadcast_to") {
      Shape shape = in[0].shape();
      for (auto& size : shape)
        if (size == 1 && below(2)) size = static_cast<int64_t>(below(4));
      if (below(3) == 0) shape.insert(shape.begin(), 2);
      add("shape", field_text(shape));
    } else if (op == "sum_to") {
      Shape shape = in[0].shape();
      if (below(2) && !shape.empty()) shape[below(shape.size())] = 1;
      add("shape", field_text(shape));
    } else if (op == "dropout") {
      add("use", std::to_string(below(4)));
    } else if (parts.empty() && p.op->print(p.op->cases()[0].attrs.get()).size() > 0) {
      auto cases = p.op->cases();  // any other op with free attributes: those of its own cases
      return p.op->print(cases[below(cases.size())].attrs.get());
    }
    return parts.empty() ? "" : "{" + join(parts, ", ") + "}";
  }

  Shape reshaped(Shape shape) {
    switch (below(4)) {
      case 0:
        return {elements(shape)};
      case 1:
        shape.insert(shape.begin() + static_cast<int64_t>(below(shape.size() + 1)), 1);
        return shape;
      case 2:
        return {shape.rbegin(), shape.rend()};
      default:
        return shape;
    }
  }

  const CompiledRule& rule_;
  std::mt19937_64 random_;
  std::map<std::string, Value> values_;
  Type x_;
};

::testing::AssertionResult same(const Tensor& a, const Tensor& b) {
  if (a.type != b.type)
    return ::testing::AssertionFailure() << type_text(a.type) << " and " << type_text(b.type);
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.at(i), y = b.at(i);
    bool equal =
        x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-12 * std::max(1.0, std::abs(x));
    if (!equal) return ::testing::AssertionFailure() << "element " << i << ": " << x << " and " << y;
  }
  return ::testing::AssertionSuccess();
}

/// The graph with the left side's outermost node replaced by the right side.
Graph right_side(const CompiledRule& rule, const Graph& left, const Match& match) {
  std::vector<Value> map;
  Graph right = with_sources_of(left, &map);
  std::map<std::string, Value> values;
  for (const auto& [name, v] : match.values) values[name] = {&right, map[v].id};
  right.output("y", build_right(rule, left.nodes().back(), right, values));
  return right;
}

bool matches_any(const Graph& graph) {
  Match match;
  for (const auto& node : graph.nodes())
    for (const auto& rule : compiled_rules())
      if (matches(rule, graph, node, &match)) return true;
  return false;
}

class AlgebraRule : public testing::TestWithParam<size_t> {};

TEST_P(AlgebraRule, SidesAreEqual) {
  const auto& rule = compiled_rules()[GetParam()];
  LeftSide left(rule, 1000 + GetParam());
  const int refusals_wanted = rule.rule->guard == nullptr ? 0 : wanted_refusals;
  int trials = 0, refusals = 0;
  for (int attempt = 0; attempt < most_attempts && (trials < wanted_trials || refusals < refusals_wanted);
       ++attempt) {
    auto graph = left.build();
    if (!graph) continue;
    auto text = print(*graph);
    SCOPED_TRACE("rule " + std::string(rule.rule->name) + ", attempt " + std::to_string(attempt) + "\n" +
                 text);
    Match match;
    if (!matches(rule, *graph, graph->nodes().back(), &match)) {
      ASSERT_NE(rule.rule->guard, nullptr) << "a row without a guard does not match its own left side";
      if (refusals == refusals_wanted || matches_any(*graph)) continue;
      EXPECT_FALSE(simplify(*graph));
      EXPECT_EQ(print(*graph), text) << "no rule matches, yet the graph has changed";
      ++refusals;
      continue;
    }
    if (trials == wanted_trials) continue;  // only the refusals are still to be found
    auto right = right_side(rule, *graph, match);
    auto simple = graph->clone();
    EXPECT_TRUE(simplify(simple));
    verify(simple);
    EXPECT_FALSE(matches_any(simple)) << "simplify has stopped early\n" << print(simple);
    auto inputs = left.inputs(*graph);
    for (bool in_double : {false, true}) {
      InterpretOptions options{.in_double = in_double};
      auto want = interpret(*graph, inputs, options).outputs.at("y");
      EXPECT_TRUE(same(want, interpret(right, inputs, options).outputs.at("y"))) << print(right);
      // In double nothing is rounded, so that a cast chain is exact whatever simplify has made of it.
      EXPECT_TRUE(same(want, interpret(simple, inputs, options).outputs.at("y"))) << print(simple);
    }
    ++trials;
    if (HasFailure()) return;
  }
  EXPECT_GE(trials, wanted_trials) << "this test cannot make the left side of " << rule.rule->name;
  EXPECT_GE(refusals, refusals_wanted) << "this test does not reach the guard of " << rule.rule->name;
}
INSTANTIATE_TEST_SUITE_P(Rules, AlgebraRule, testing::Range<size_t>(0, algebra_rules().size()),
                         [](const auto& row) { return std::string(algebra_rules()[row.param].name); });

TEST(AlgebraRules, NamesAreUniqueAndWorkIsCounted) {
  std::set<std::string_view> names;
  for (const auto& rule : algebra_rules()) EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
  std::printf("%zu rules x %d trials\n", names.size(), wanted_trials);
}

}  // namespace
}  // namespace lockstep
