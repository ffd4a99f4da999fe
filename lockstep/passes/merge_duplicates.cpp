#include "lockstep/passes/merge_duplicates.h"

#include <fmt/format.h>

#include <unordered_map>

namespace lockstep {

Changed merge_duplicates(Graph& graph) {
  bool changed = false;
  std::unordered_map<std::string, Values> seen;
  graph = rebuild(graph, [&](const Node& node, const Values& in, Graph& out) {
    // A recomputed node is equal to its first evaluation by design and must stay; so must the phase.
    auto key = fmt::format("{}{}{}{}{}", node.op->info.name, node.op->print(node.attrs.get()),
                           field_text(node.phase), node.recompute, node.stage);
    for (auto v : in) key += fmt::format(" {}", v.id);
    auto it = seen.find(key);
    if (it != seen.end()) {
      changed = true;
      return it->second;
    }
    Types types = graph.types_of(node.out);
    auto made = emit_same(out, node, in, types);
    seen.emplace(key, made);
    return made;
  });
  return changed;
}

}  // namespace lockstep
