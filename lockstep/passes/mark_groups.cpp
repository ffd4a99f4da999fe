#include "lockstep/passes/mark_groups.h"

#include <algorithm>
#include <set>

namespace lockstep {

const std::vector<std::vector<std::string_view>>& group_chains() {
  static const std::vector<std::vector<std::string_view>> chains{
      {"batch_norm", "add", "relu"},
      {"batch_norm", "relu"},
      {"batch_norm_inference", "add", "relu"},
      {"batch_norm_inference", "relu"},
      {"sum_n", "relu_backward", "batch_norm_backward"},
      {"relu_backward", "batch_norm_backward"},
  };
  return chains;
}

namespace {

class GroupMarker {
 public:
  explicit GroupMarker(Graph& graph) : graph_(graph), readers_(graph.readers()) {
    for (auto& n : graph.nodes()) n.group = -1;
    for (const auto& o : graph.outputs()) pinned_.insert(o.value);
    for (const auto& a : graph.assigns()) pinned_.insert(a.value);
  }

  bool mark() {
    for (const auto& chain : group_chains())
      for (size_t n = 0; n < graph_.nodes().size(); ++n) try_chain(chain, static_cast<int>(n));
    return next_ > 0;
  }

 private:
  /// The group's second-to-last value may have readers outside only when it is itself a gradient that flows
  /// on (relu_backward before batch_norm_backward): then the kernel writes it out as well.
  static bool may_escape(std::string_view op) { return op == "relu_backward"; }

  void try_chain(const std::vector<std::string_view>& chain, int first) {
    std::vector<int> members{first};
    if (!is(first, chain[0])) return;
    for (size_t i = 1; i < chain.size(); ++i) {
      int next = follower(members.back(), chain[i]);
      if (next < 0) return;
      members.push_back(next);
    }
    if (path_returns(members)) return;
    for (int m : members) graph_.nodes()[m].group = next_;
    groups_.push_back(std::move(members));
    ++next_;
  }

  bool is(int node, std::string_view op) const {
    return graph_.nodes()[node].op->info.name == op && graph_.nodes()[node].group < 0;
  }

  /// The reader of `node`'s first output that has op `op`, or -1.
  int follower(int node, std::string_view op) const {
    int value = graph_.nodes()[node].out[0];
    if (pinned_.contains(value)) return -1;
    const auto& readers = readers_[value];
    if (readers.size() != 1 && !may_escape(graph_.nodes()[node].op->info.name)) return -1;
    for (int r : readers)
      if (is(r, op) && graph_.nodes()[r].phase == graph_.nodes()[node].phase &&
          graph_.nodes()[r].stage == graph_.nodes()[node].stage &&
          graph_.type(graph_.nodes()[r].out[0]) == graph_.type(value) && reads_as_data(r, value))
        return r;
    return -1;
  }

  /// A gradient must arrive as the gradient operand (the first), not as a saved value.
  bool reads_as_data(int node, int value) const {
    const auto& n = graph_.nodes()[node];
    if (n.op->info.name == "add") return n.in[0] != n.in[1] && graph_.type(n.in[0]) == graph_.type(n.in[1]);
    return n.in[0] == value && std::count(n.in.begin(), n.in.end(), value) == 1;
  }

  /// True when a path leaves the group and comes back, be it through another group, which runs as one as
  /// well: the group could then not run as one.
  bool path_returns(const std::vector<int>& members) const {
    std::vector<bool> reached(graph_.nodes().size(), false);
    std::vector<int> open;
    auto reach = [&](int node) {
      if (!reached[node]) open.push_back(node);
      reached[node] = true;
    };
    auto is_member = [&](int node) {
      return std::find(members.begin(), members.end(), node) != members.end();
    };
    for (int m : members)
      for (int v : graph_.nodes()[m].out)
        for (int r : readers_[v])
          if (!is_member(r)) reach(r);
    while (!open.empty()) {
      const auto& node = graph_.nodes()[open.back()];
      open.pop_back();
      if (node.group >= 0)
        for (int mate : groups_[node.group]) reach(mate);
      for (int v : node.out)
        for (int r : readers_[v]) {
          if (is_member(r)) return true;
          reach(r);
        }
    }
    return false;
  }

  Graph& graph_;
  std::vector<std::vector<int>> readers_;
  std::set<int> pinned_;
  std::vector<std::vector<int>> groups_;
  int next_ = 0;
};

}  // namespace

Changed mark_groups(Graph& graph) { return GroupMarker(graph).mark(); }

}  // namespace lockstep
