#include "lockstep/passes/remove_dead.h"

namespace lockstep {

Changed remove_dead(Graph& graph) {
  std::vector<bool> needed(graph.value_count(), false);
  for (const auto& a : graph.assigns()) needed[a.value] = true;
  for (const auto& o : graph.outputs()) needed[o.value] = true;
  size_t kept = 0;
  for (size_t n = graph.nodes().size(); n-- > 0;) {
    const auto& node = graph.nodes()[n];
    bool any = false;
    for (int v : node.out) any = any || needed[v];
    if (!any) continue;
    ++kept;
    for (int v : node.in) needed[v] = true;
  }
  if (kept == graph.nodes().size()) return false;
  std::vector<Value> map;
  Graph out = with_sources_of(graph, &map);
  for (const auto& node : graph.nodes()) {
    bool any = false;
    for (int v : node.out) any = any || needed[v];
    if (!any) continue;
    Values in;
    for (int v : node.in) in.push_back({&out, map[v].id});
    auto made = emit_same(out, node, in, graph.types_of(node.out));
    for (size_t i = 0; i < node.out.size(); ++i) map[node.out[i]] = made[i];
  }
  carry_effects(graph, map, &out);
  graph = std::move(out);
  return true;
}

}  // namespace lockstep
