#include "lockstep/passes/place_stages.h"

#include <algorithm>

namespace lockstep {

Changed place_stages(Graph& graph) {
  // A node runs where the latest of what it reads is made; stages a model or an earlier pass has set stay.
  bool changed = false;
  for (auto& node : graph.nodes()) {
    int stage = node.stage;
    if (node.phase == Phase::forward)
      for (int v : node.in)
        if (int p = graph.producer(v); p >= 0) stage = std::max(stage, graph.nodes()[p].stage);
    changed = changed || stage != node.stage;
    node.stage = stage;
  }
  return changed;
}

}  // namespace lockstep
