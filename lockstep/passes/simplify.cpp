#include "lockstep/passes/simplify.h"

#include "lockstep/passes/rules/rule.h"

namespace lockstep {
namespace {

/// One walk; each node is replaced by the first rule that matches it in the old graph.
Changed walk(Graph& graph) {
  bool changed = false;
  std::vector<Value> map;
  Graph out = with_sources_of(graph, &map);
  for (const auto& node : graph.nodes()) {
    Match match;
    const CompiledRule* found = nullptr;
    for (const auto& rule : compiled_rules())
      if (matches(rule, graph, node, &match)) {
        found = &rule;
        break;
      }
    if (found == nullptr) {
      Values inputs;
      for (int v : node.in) inputs.push_back({&out, map[v].id});
      auto made = emit_same(out, node, inputs, graph.types_of(node.out));
      for (size_t i = 0; i < node.out.size(); ++i) map[node.out[i]] = made[i];
      continue;
    }
    std::map<std::string, Value> values;
    for (const auto& [name, v] : match.values) values[name] = {&out, map[v].id};
    out.set_scope(node.name);
    out.phase = node.phase;
    size_t before = out.nodes().size();
    map[node.out[0]] = build_right(*found, node, out, values);
    for (size_t n = before; n < out.nodes().size(); ++n) {
      out.nodes()[n].stage = node.stage;
      out.nodes()[n].recompute = node.recompute;
    }
    changed = true;
  }
  out.set_scope("");
  carry_effects(graph, map, &out);
  graph = std::move(out);
  return changed;
}

}  // namespace

Changed simplify(Graph& graph) {
  bool changed = false;
  while (walk(graph)) changed = true;  // ends: every rule makes the expression smaller or moves a neg outward
  return changed;
}

}  // namespace lockstep
