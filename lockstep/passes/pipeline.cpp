// THE list of passes, read from top to bottom.
#include <fmt/format.h>

#include <algorithm>

#include "lockstep/base/clock.h"
#include "lockstep/ir/verify.h"
#include "lockstep/passes/elide_copies.h"
#include "lockstep/passes/mark_groups.h"
#include "lockstep/passes/merge_duplicates.h"
#include "lockstep/passes/order_nodes.h"
#include "lockstep/passes/pass.h"
#include "lockstep/passes/place_stages.h"
#include "lockstep/passes/remove_dead.h"
#include "lockstep/passes/simplify.h"
#include "lockstep/program/verify.h"

namespace lockstep {

const std::vector<GraphPass>& graph_passes() {
  static const std::vector<GraphPass> list{
      {simplify_info, simplify},                  // rewrite table: rules/algebra.cpp
      {merge_duplicates_info, merge_duplicates},  // equal nodes become one
      {remove_dead_info, remove_dead},            // what no output or assign needs goes
      {mark_groups_info, mark_groups},            // chains that a target may run as one loop
      {place_stages_info, place_stages},          // every node gets its pipeline stage
      {order_nodes_info, order_nodes},            // nodes of a group become neighbours
  };
  return list;
}

const std::vector<BundlePass>& bundle_passes() {
  static const std::vector<BundlePass> list{
      {"elide_copies", "an update writes its variable directly where nobody still needs the old value",
       elide_copies},
  };
  return list;
}

namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& p : graph_passes()) names.emplace_back(p.info.name);
  for (const auto& p : bundle_passes()) names.emplace_back(p.name);
  return names;
}

void check_names(const PipelineOptions& options) {
  auto names = all_names();
  auto known = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    throw user_error(fmt::format("unknown pass '{}'{}", name, did_you_mean(name, names)))
        .but(name, join(names, ", "));
  };
  for (const auto& s : options.skip) known(s);
  if (!options.stop_after.empty()) known(options.stop_after);
}

bool skipped(std::string_view name, const PipelineOptions& options) {
  return std::find(options.skip.begin(), options.skip.end(), name) != options.skip.end();
}

}  // namespace

std::vector<PassReport> run_passes(Graph& graph, const PipelineOptions& options) {
  check_names(options);
  std::vector<PassReport> reports;
  verify(graph);
  for (const auto& pass : graph_passes()) {
    std::string name(pass.info.name);
    if (!skipped(name, options)) {
      if (graph.stage < pass.info.needs)
        throw bug(fmt::format("pass {} needs stage {}", name, field_text(pass.info.needs)));
      Stopwatch watch;
      bool changed = pass.run(graph);
      reports.push_back({name, watch.seconds(), changed});
    }
    graph.stage = std::max(graph.stage, pass.info.gives);
    verify(graph);
    if (options.after_graph_pass) options.after_graph_pass(name, graph);
    if (name == options.stop_after) break;
  }
  return reports;
}

std::vector<PassReport> run_passes(Bundle& bundle, const PipelineOptions& options) {
  check_names(options);
  std::vector<PassReport> reports;
  verify(bundle);
  for (const auto& pass : bundle_passes()) {
    std::string name(pass.name);
    if (!skipped(name, options)) {
      Stopwatch watch;
      bool changed = pass.run(bundle);
      reports.push_back({name, watch.seconds(), changed});
    }
    verify(bundle);
    if (options.after_bundle_pass) options.after_bundle_pass(name, bundle);
    if (name == options.stop_after) break;
  }
  return reports;
}

}  // namespace lockstep
