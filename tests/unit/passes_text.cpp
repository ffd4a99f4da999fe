// Every pass against its golden text in tests/text/<pass>.ls.
#include <gtest/gtest.h>

#include <algorithm>

#include "lockstep/ir/parse.h"
#include "lockstep/ir/print.h"
#include "lockstep/ir/verify.h"
#include "lockstep/ops/all.h"
#include "lockstep/passes/pass.h"
#include "lockstep/program/verify.h"
#include "tests/support/golden.h"

namespace lockstep {
namespace {

constexpr size_t most_nodes = 20;

std::string golden_of(std::string_view pass) { return "tests/text/" + std::string(pass) + ".ls"; }

class GraphPassText : public testing::TestWithParam<GraphPass> {};

TEST_P(GraphPassText, IsAsWritten) {
  const auto& pass = GetParam();
  check_golden(golden_of(pass.info.name), [&](const GoldenCase& c) {
    auto graph = parse_graph(c.input, op_named, c.name);
    EXPECT_LE(graph.nodes().size(), most_nodes) << c.name << " is too large to be read";
    EXPECT_GE(graph.stage, pass.info.needs) << c.name;
    auto once = [&] {
      auto before = print(graph);
      bool changed = pass.run(graph);
      if (!changed) {
        EXPECT_EQ(print(graph), before) << c.name << ": changed, but says it did not";
      }
      graph.stage = std::max(graph.stage, pass.info.gives);
      verify(graph);
      return print(graph);
    };
    auto first = once();
    EXPECT_EQ(once(), first) << c.name << ": a second run changes it again";
    EXPECT_EQ(print(parse_graph(first, op_named)), first) << c.name;
    return first;
  });
}
INSTANTIATE_TEST_SUITE_P(Passes, GraphPassText, testing::ValuesIn(graph_passes()),
                         [](const auto& row) { return std::string(row.param.info.name); });

class BundlePassText : public testing::TestWithParam<BundlePass> {};

TEST_P(BundlePassText, IsAsWritten) {
  const auto& pass = GetParam();
  check_golden(golden_of(pass.name), [&](const GoldenCase& c) {
    auto bundle = parse_bundle(c.input, op_named, c.name);
    auto once = [&] {
      auto before = print(bundle);
      bool changed = pass.run(bundle);
      EXPECT_EQ(changed, print(bundle) != before) << c.name;
      verify(bundle);
      return print(bundle);
    };
    auto first = once();
    EXPECT_EQ(once(), first) << c.name << ": a second run changes it again";
    EXPECT_EQ(print(parse_bundle(first, op_named)), first) << c.name;
    return first;
  });
}
INSTANTIATE_TEST_SUITE_P(Passes, BundlePassText, testing::ValuesIn(bundle_passes()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(PassList, NamesAreKnownAndUnknownOnesRefused) {
  auto graph = parse_graph(golden_cases(golden_of("remove_dead"))[0].input, op_named);
  PipelineOptions options;
  options.skip = {"remove_ded"};
  try {
    run_passes(graph, options);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user);
    EXPECT_NE(std::string(e.what()).find("did you mean 'remove_dead'?"), std::string::npos) << e.what();
  }
  options.skip = {"remove_dead"};
  options.stop_after = "remove_dead";
  std::vector<std::string> seen;
  options.after_graph_pass = [&](const std::string& name, const Graph&) { seen.push_back(name); };
  auto reports = run_passes(graph, options);
  EXPECT_EQ(reports.size(), 2u);
  EXPECT_EQ(seen, (std::vector<std::string>{"simplify", "merge_duplicates", "remove_dead"}));
}

}  // namespace
}  // namespace lockstep
