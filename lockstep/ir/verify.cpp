#include "lockstep/ir/verify.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace lockstep {
namespace {

[[noreturn]] void broken(const Graph& graph, const Node& node, std::string rule) {
  throw bug(fmt::format("graph '{}' at stage {}: {}", graph.name(), field_text(graph.stage), rule))
      .at(describe(graph, node));
}

void verify_nodes(const Graph& graph) {
  for (size_t n = 0; n < graph.nodes().size(); ++n) {
    const auto& node = graph.nodes()[n];
    if (node.op == nullptr) throw bug("node without an op");
    for (int v : node.in) {
      if (v < 0 || v >= graph.value_count())
        broken(graph, node, fmt::format("reads value {} which does not exist", v));
      if (graph.producer(v) >= static_cast<int>(n))
        broken(graph, node, fmt::format("reads %{} before it is made", v));
    }
    for (int v : node.out)
      if (graph.producer(v) != static_cast<int>(n)) broken(graph, node, fmt::format("%{} has two makers", v));
    check_arity(node.op->info, node.in.size());
    if (node.op->infer(node.attrs.get(), graph.types_of(node.in)) != graph.types_of(node.out))
      broken(graph, node, "result types are not what the op infers");
    if (node.stage < 0) broken(graph, node, "negative pipeline stage");
  }
}

void verify_trained(const Graph& graph) {
  std::set<int> assigned;
  for (const auto& a : graph.assigns()) assigned.insert(a.variable);
  for (const auto& s : graph.sources())
    if (s.kind == SourceKind::variable && s.variable.trainable && !assigned.contains(s.value) &&
        !graph.assigns().empty())
      throw bug(fmt::format("graph '{}': trainable variable '{}' is never assigned", graph.name(), s.name));
}

void verify_grouped(const Graph& graph) {
  std::map<int, int> members;
  for (const auto& n : graph.nodes())
    if (n.group >= 0) ++members[n.group];
  for (const auto& n : graph.nodes())
    if (n.group >= 0 && members[n.group] < 2)
      broken(graph, n, fmt::format("group {} has one member", n.group));
}

void verify_ordered(const Graph& graph) {
  std::set<int> closed;
  int open = -1;
  for (const auto& n : graph.nodes()) {
    if (n.group == open) continue;
    if (open >= 0) closed.insert(open);
    open = n.group;
    if (open >= 0 && closed.contains(open)) broken(graph, n, fmt::format("group {} is torn apart", n.group));
  }
}

}  // namespace

void verify(const Graph& graph) {
  verify_nodes(graph);
  if (graph.stage >= GraphStage::trained) verify_trained(graph);
  if (graph.stage >= GraphStage::grouped) verify_grouped(graph);
  if (graph.stage >= GraphStage::ordered) verify_ordered(graph);
}

}  // namespace lockstep
