// A pass over graphs: one record, one pair of files, one line in pipeline.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/ir/graph.h"
#include "lockstep/program/bundle.h"

namespace lockstep {

struct PassInfo {
  std::string_view name, help;
  GraphStage needs, gives;
};

/// Whether a pass changed anything.
using Changed = bool;

struct GraphPass {
  PassInfo info;
  Changed (*run)(Graph&);
};

struct BundlePass {
  std::string_view name, help;
  Changed (*run)(Bundle&);
};

/// THE lists, in the order in which they run.
const std::vector<GraphPass>& graph_passes();
const std::vector<BundlePass>& bundle_passes();

/// What happened to one pass of one run.
struct PassReport {
  std::string name;
  double seconds = 0;
  bool changed = false;
};

struct PipelineOptions {
  std::vector<std::string> skip;  ///< passes not to run; an unknown name is a user error
  std::string stop_after;         ///< "" = run all
  std::function<void(const std::string& pass, const Graph&)> after_graph_pass;
  std::function<void(const std::string& pass, const Bundle&)> after_bundle_pass;
};

/// Runs the list: skip, time, run, verify, show, stop. Throws a user error for an unknown pass name.
std::vector<PassReport> run_passes(Graph& graph, const PipelineOptions& options = {});
std::vector<PassReport> run_passes(Bundle& bundle, const PipelineOptions& options = {});

}  // namespace lockstep
