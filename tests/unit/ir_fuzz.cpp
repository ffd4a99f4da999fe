// Damaged texts: random edits of good graphs and bundles. Reading one either gives an error that speaks to
// the user, or something that verifies, prints, reads back to the same text and can be evaluated.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "lockstep/ir/interpret.h"
#include "lockstep/ir/parse.h"
#include "lockstep/ir/print.h"
#include "lockstep/ir/verify.h"
#include "lockstep/ops/all.h"
#include "lockstep/program/bundle.h"
#include "lockstep/program/verify.h"

namespace lockstep {
namespace {

constexpr int trials = 3000;

class Damage {
 public:
  explicit Damage(uint64_t seed) : random_(seed) {}
  uint64_t below(uint64_t n) { return random_() % n; }

  std::string operator()(std::string text) {
    for (uint64_t edits = below(3) == 0 ? 2 : 1; edits > 0 && !text.empty(); --edits)
      text = edit(std::move(text));
    return text;
  }

 private:
  std::string edit(std::string text) {
    switch (below(10)) {
      case 0:
        return change_lines(text,
                            [](auto& l, size_t a, size_t) { l.erase(l.begin() + static_cast<long>(a)); });
      case 1:
        return change_lines(text, [](auto& l, size_t a, size_t b) {
          auto copy = l[a];
          l.insert(l.begin() + static_cast<long>(b), copy);
        });
      case 2:
        return change_lines(text, [](auto& l, size_t a, size_t b) { std::swap(l[a], l[b]); });
      case 3:
        text[below(text.size())] = static_cast<char>(below(256));
        return text;
      case 4:
        text.erase(below(text.size()), 1 + below(4));
        return text;
      case 5: {
        constexpr std::string_view signs = "[]{}()%$&!^#@,:=\"\\/-+x .0123456789";
        text.insert(below(text.size()), 1, signs[below(signs.size())]);
        return text;
      }
      case 6:
        text.resize(below(text.size()));
        return text;
      default:
        return change_number(std::move(text));
    }
  }

  template <class Change>
  std::string change_lines(const std::string& text, Change change) {
    auto lines = split(text, '\n');
    change(lines, below(lines.size()), below(lines.size()));
    return join(lines, "\n");
  }

  std::string change_number(std::string text) {
    size_t begin = text.find_first_of("0123456789", below(text.size()));
    if (begin == std::string::npos) return text;
    size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    constexpr std::string_view numbers[] = {"0",
                                            "1",
                                            "2",
                                            "3",
                                            "4",
                                            "5",
                                            "-1",
                                            "-2",
                                            "7",
                                            "16",
                                            "255",
                                            "2147483647",
                                            "2147483648",
                                            "1073741824",
                                            "-2147483648",
                                            "4294967296",
                                            "1152921504606846976",
                                            "4611686018427387904",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "18446744073709551615",
                                            "99999999999999999999",
                                            "1e308",
                                            "nan",
                                            "-inf"};
    return text.replace(begin, end - begin, numbers[below(std::size(numbers))]);
  }

  std::mt19937_64 random_;
};

/// Some of the cases of some of the ops, and every kind of line besides.
std::string good_graph(Damage& random) {
  Graph graph("good \"one\"");
  VariableInfo info{Role::weight, false, Init::uniform, 0.5, "layer"};
  auto w = graph.variable("w", {DType::f32, {2}}, info);
  graph.table("rates", {0.1f, 1e-9f});
  for (int k = 0; k < 2; ++k) {
    const auto& op = *all_ops()[random.below(all_ops().size())];
    auto cases = op.cases();
    const auto& c = cases[random.below(cases.size())];
    graph.set_scope("layer" + std::to_string(k));
    Values in;
    for (const auto& type : c.inputs)
      in.push_back(graph.stream("s" + std::to_string(graph.value_count()), type));
    auto made = emit_row(graph, op, c.attrs, in, {});
    graph.output("y" + std::to_string(k), made.back());
  }
  auto next = emit_row(graph, op_named("scale"), op_named("scale").parse("{factor=0.5}"), {w}, {})[0];
  graph.nodes().back().phase = Phase::update;
  graph.nodes().back().recompute = true;
  graph.assign(w, next);
  return print(graph);
}

std::string good_bundle(Damage& random) {
  auto graph = parse_graph(good_graph(random), op_named);
  graph.stage = GraphStage::ordered;
  Bundle bundle;
  bundle.name = "good";
  add_program(bundle, graph, "train", {.steps_per_call = 3, .ring_slots = 2});
  auto text = print(bundle);
  text.resize(text.rfind('}'));
  return text + R"(  program "moves" {
    output ^0 "w" : f32[2] x2
    repeat i <= 2 {
      start 3 collective{collective=all_reduce, group="all", peer=0, tag=0} %0 : f32[2] = $0 #backward
      wait 3 #backward
      repeat j <= 4 {
        send{collective=all_reduce, order=any, group="all", peer=1, tag=4} %0 @"a" #forward #stage=1
        recv{collective=broadcast, order=any, group="all", peer=1, tag=5} %1[j+1 mod 2] : f32[2] x2 #forward
        %2 : f32[2] = add(%0, %1[j+1 mod 2]) #forward #group=2 #recompute
        copy $0 = %2 #update
      }
      fetch ^0[i mod 2] = %0 #update
    }
  }
}
)";
}

struct Count {
  int read = 0, refused = 0;
};

/// `read` throws or returns the text it reads back to.
template <class Read>
void expect_sound(uint64_t trial, const std::string& text, Count* count, Read read) {
  try {
    read(text);
    ++count->read;
  } catch (const Error& e) {
    ++count->refused;
    EXPECT_EQ(e.kind, ErrorKind::user) << "trial " << trial << ": " << e.what() << "\n" << text;
  } catch (const std::exception& e) {
    ADD_FAILURE() << "trial " << trial << ": " << e.what() << "\n" << text;
  }
}

/// Small ones are evaluated: an attribute that `infer` lets pass must not harm `eval` or `cost`.
void evaluate_if_small(const Graph& graph) {
  double work = 0;
  for (const auto& s : graph.sources()) work += static_cast<double>(graph.type(s.value).elements());
  for (const auto& n : graph.nodes()) {
    auto cost = n.op->cost(n.attrs.get(), graph.types_of(n.in));
    work += cost.flops + cost.bytes;
  }
  if (!(work < 1e5)) return;
  std::map<std::string, Tensor> sources;
  for (const auto& s : graph.sources())
    if (s.kind != SourceKind::table) sources[s.name] = Tensor(graph.type(s.value));
  try {
    interpret(graph, sources);
  } catch (const Error& e) {
    EXPECT_NE(e.kind, ErrorKind::bug) << e.what() << print(graph);
  }
}

TEST(Damaged, GraphsAreReadOrRefused) {
  Count count;
  for (uint64_t trial = 0; trial < trials / 2; ++trial) {
    Damage damage(trial);
    auto good = good_graph(damage);
    if (trial % 50 == 0) {
      EXPECT_NO_THROW(parse_graph(good, op_named)) << good;
    }
    expect_sound(trial, damage(good), &count, [](const std::string& text) {
      auto graph = parse_graph(text, op_named);
      verify(graph);
      auto printed = print(graph);
      EXPECT_EQ(print(parse_graph(printed, op_named)), printed);
      evaluate_if_small(graph);
    });
    if (HasFailure()) return;
  }
  std::printf("%d damaged graphs: %d read, %d refused\n", trials / 2, count.read, count.refused);
  EXPECT_GT(count.read, 50);
  EXPECT_GT(count.refused, 50);
}

TEST(Damaged, BundlesAreReadOrRefused) {
  Count count;
  for (uint64_t trial = 0; trial < trials / 2; ++trial) {
    Damage damage(1000000 + trial);
    auto good = good_bundle(damage);
    if (trial % 50 == 0) {
      EXPECT_NO_THROW(parse_bundle(good, op_named)) << good;
    }
    expect_sound(trial, damage(good), &count, [](const std::string& text) {
      auto bundle = parse_bundle(text, op_named);
      verify(bundle);
      auto printed = print(bundle);
      EXPECT_EQ(print(parse_bundle(printed, op_named)), printed);
      std::vector<const Program*> ranks;
      for (const auto& p : bundle.programs) ranks.push_back(&p);
      try {
        verify_ranks(ranks, bundle);
      } catch (const Error& e) {
        EXPECT_EQ(e.kind, ErrorKind::user) << e.what();
      }
    });
    if (HasFailure()) return;
  }
  std::printf("%d damaged bundles: %d read, %d refused\n", trials / 2, count.read, count.refused);
  EXPECT_GT(count.read, 50);
  EXPECT_GT(count.refused, 50);
}

TEST(Damaged, LongTextsAreReadInLinearTime) {
  std::string text = "graph \"long\" stage=model {\n  stream %0 \"x\" : f32[2]\n";
  for (int i = 1; i <= 4000; ++i)
    text += "  %" + std::to_string(i) + " = neg(%" + std::to_string(i - 1) + ") : f32[2] #forward\n";
  auto graph = parse_graph(text + "  output \"y\" = %4000\n}\n", op_named);
  EXPECT_EQ(graph.nodes().size(), 4000u);
}

}  // namespace
}  // namespace lockstep
