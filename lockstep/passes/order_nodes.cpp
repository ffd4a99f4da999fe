#include "lockstep/passes/order_nodes.h"

#include <map>

namespace lockstep {
namespace {

/// Depth-first emission of what is needed, a group as one unit. Recursion is turned into an explicit stack:
/// graphs are deep.
class Orderer {
 public:
  explicit Orderer(const Graph& graph) : graph_(graph), unit_of_(graph.nodes().size(), -1) {
    std::map<int, int> unit_of_group;
    std::map<int, int> last;  // group -> its last node
    for (size_t n = 0; n < graph.nodes().size(); ++n)
      if (graph.nodes()[n].group >= 0) last[graph.nodes()[n].group] = static_cast<int>(n);
    for (size_t n = 0; n < graph.nodes().size(); ++n) {
      int g = graph.nodes()[n].group;
      auto it = g >= 0 ? unit_of_group.find(g) : unit_of_group.end();
      if (it == unit_of_group.end()) {
        units_.push_back({{}, g >= 0 ? last[g] : static_cast<int>(n)});
        if (g >= 0) it = unit_of_group.emplace(g, static_cast<int>(units_.size()) - 1).first;
      }
      unit_of_[n] = g >= 0 ? it->second : static_cast<int>(units_.size()) - 1;
      units_[unit_of_[n]].nodes.push_back(static_cast<int>(n));
    }
  }

  std::vector<int> order() {
    std::map<int, int> by_place;  // place of the last node -> unit
    for (size_t u = 0; u < units_.size(); ++u) by_place[units_[u].place] = static_cast<int>(u);
    state_.assign(units_.size(), State::fresh);
    for (auto [place, unit] : by_place) emit(unit);
    return std::move(order_);
  }

 private:
  enum class State { fresh, open, done };
  struct Unit {
    std::vector<int> nodes;
    int place;
  };

  void emit(int first) {
    std::vector<int> stack{first};
    while (!stack.empty()) {
      int u = stack.back();
      if (state_[u] == State::done) {
        stack.pop_back();
        continue;
      }
      bool waiting = false;
      for (int n : units_[u].nodes)
        for (int v : graph_.nodes()[n].in) {
          int p = graph_.producer(v);
          if (p < 0 || unit_of_[p] == u || state_[unit_of_[p]] == State::done) continue;
          if (state_[unit_of_[p]] == State::open)
            throw bug("order_nodes: a group depends on itself").at(describe(graph_, graph_.nodes()[n]));
          stack.push_back(unit_of_[p]);
          waiting = true;
        }
      if (waiting) {
        state_[u] = State::open;
        continue;
      }
      state_[u] = State::done;
      stack.pop_back();
      order_.insert(order_.end(), units_[u].nodes.begin(), units_[u].nodes.end());
    }
  }

  const Graph& graph_;
  std::vector<int> unit_of_;
  std::vector<Unit> units_;
  std::vector<State> state_;
  std::vector<int> order_;
};

}  // namespace

Changed order_nodes(Graph& graph) {
  auto order = Orderer(graph).order();
  bool changed = false;
  for (size_t i = 0; i < order.size(); ++i) changed = changed || order[i] != static_cast<int>(i);
  if (!changed) return false;
  std::vector<Value> map;
  Graph out = with_sources_of(graph, &map);
  for (int n : order) {
    const auto& node = graph.nodes()[n];
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
