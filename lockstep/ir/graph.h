// A graph: values only, static shapes, no devices, no memory. Forward, backward and optimizer stand in one
// graph.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lockstep/base/fields.h"
#include "lockstep/ir/op.h"
#include "lockstep/ir/value.h"

namespace lockstep {

/// Part of the step a node belongs to. Gradient accumulation repeats forward and backward, not update.
enum class Phase { forward, backward, update };
inline std::vector<std::string_view> names_of(Phase) { return {"forward", "backward", "update"}; }

/// How far a graph has come; each pass says which stage it needs and gives.
enum class GraphStage { model, trained, grouped, placed, ordered };
inline std::vector<std::string_view> names_of(GraphStage) {
  return {"model", "trained", "grouped", "placed", "ordered"};
}

/// Whom a variable serves: decides weight decay groups, sharding and what goes into model.safetensors.
enum class Role {
  weight,
  bias,
  norm_scale,
  norm_shift,
  statistic,
  optimizer_state,
  counter,
  flag,
  loss_scale,
  seed
};
inline std::vector<std::string_view> names_of(Role) {
  return {"weight",          "bias",    "norm_scale", "norm_shift", "statistic",
          "optimizer_state", "counter", "flag",       "loss_scale", "seed"};
}

enum class Init { zeros, ones, constant, normal, truncated_normal, uniform };
inline std::vector<std::string_view> names_of(Init) {
  return {"zeros", "ones", "constant", "normal", "truncated_normal", "uniform"};
}

/// A variable's first value: a function of (seed, name, logical index) and nothing else.
/// normal: mean 0, standard deviation `scale`; truncated_normal: the same cut at two deviations, `scale`
/// being the deviation before the cut; uniform: [-scale, scale); constant: `scale` itself. Role `seed` starts
/// as the run's seed.
struct VariableInfo {
  Role role = Role::weight;
  bool trainable = false;
  Init init = Init::zeros;
  double scale = 0;
  std::string owner;  ///< for optimizer state and statistics: the variable or layer they belong to
  static constexpr auto attrs =
      fields(field("role", &VariableInfo::role), field("trainable", &VariableInfo::trainable),
             field("init", &VariableInfo::init), field("scale", &VariableInfo::scale),
             field("owner", &VariableInfo::owner));
};

enum class SourceKind { variable, stream, table };
inline std::vector<std::string_view> names_of(SourceKind) { return {"variable", "stream", "table"}; }

/// Where a value comes from when no node makes it.
struct Source {
  SourceKind kind = SourceKind::stream;
  std::string name;
  int value = -1;
  VariableInfo variable;       ///< kind == variable
  std::vector<float> entries;  ///< kind == table: f32, one per row
};

struct Node {
  const OpRow* op = nullptr;
  std::shared_ptr<const void> attrs;
  std::vector<int> in, out;
  std::string name;  ///< layer, "layer1.0.conv1"
  Phase phase = Phase::forward;
  int group = -1;          ///< fusion group; -1: alone
  int stage = 0;           ///< pipeline stage
  bool recompute = false;  ///< a second, later evaluation of a forward node
  Site site;
};

class Graph {
 public:
  explicit Graph(std::string name = "graph") : name_(std::move(name)) {}
  Graph(const Graph&) = delete;  // values point into their graph; copy with clone()
  Graph& operator=(const Graph&) = delete;
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;

  // ---- building ----
  /// Throws a user error on a second source of that name.
  Value variable(std::string name, Type type, VariableInfo info);
  Value stream(std::string name, Type type);
  Value table(std::string name, std::vector<float> entries);
  Values add(Node node, const Types& output_types);
  /// At the end of the step `variable` takes `value`; types must agree; once per variable.
  void assign(Value variable, Value value);
  /// `value` is handed to the host after each step under `name`.
  void output(std::string name, Value value);

  /// Names pushed here prefix the names of nodes and variables made while the returned guard lives.
  class Scope {
   public:
    Scope(Graph* graph, size_t keep) : graph_(graph), keep_(keep) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { graph_->scope_.resize(keep_); }

   private:
    Graph* graph_;
    size_t keep_;
  };
  [[nodiscard]] Scope scope(std::string_view name);
  const std::string& scope_name() const { return scope_; }
  std::string scoped(std::string_view name) const;
  void set_scope(std::string name) { scope_ = std::move(name); }

  Phase phase = Phase::forward;  ///< given to the nodes added from now on
  GraphStage stage = GraphStage::model;

  // ---- reading ----
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Source>& sources() const { return sources_; }
  std::vector<Source>& sources() { return sources_; }
  struct Assign {
    int variable, value;  ///< value ids
  };
  const std::vector<Assign>& assigns() const { return assigns_; }
  struct Output {
    std::string name;
    int value;
  };
  const std::vector<Output>& outputs() const { return outputs_; }
  const Type& type(int value) const { return types_[value]; }
  int value_count() const { return static_cast<int>(types_.size()); }
  int producer(int value) const { return producers_[value]; }  ///< node index, or -1 for a source
  const Source* source_of(int value) const;                    ///< null when a node makes it
  const Source* find_source(std::string_view name) const;      ///< null when there is none
  Value value(int id) { return {this, id}; }
  Types types_of(const std::vector<int>& values) const;
  /// Per value: the nodes that read it, in order.
  std::vector<std::vector<int>> readers() const;

  Graph clone() const;

 private:
  int add_value(Type type, int producer);
  std::string name_, scope_;
  std::vector<Type> types_;
  std::vector<int> producers_;
  std::vector<Node> nodes_;
  std::vector<Source> sources_;
  std::unordered_map<std::string, int> source_index_;
  std::vector<Assign> assigns_;
  std::vector<Output> outputs_;
};

/// Builds `graph` anew, node by node: `visit(node, inputs, out)` returns the new values of the node's
/// outputs. Sources, assigns and outputs are carried over; use `emit_same` for a node that stays as it is.
template <class Visit>
Graph rebuild(const Graph& graph, Visit visit);
Values emit_same(Graph& out, const Node& node, const Values& inputs, const Types& types);

/// "layer1.0.conv1 (conv, models/resnet.cpp:41)".
std::string describe(const Graph& graph, const Node& node);

// ---- implementation ----

/// New graph with the sources of `graph`; `map[old value] = new value` for them.
Graph with_sources_of(const Graph& graph, std::vector<Value>* map);
void carry_effects(const Graph& graph, const std::vector<Value>& map, Graph* out);

template <class Visit>
Graph rebuild(const Graph& graph, Visit visit) {
  std::vector<Value> map;
  Graph out = with_sources_of(graph, &map);
  for (const auto& node : graph.nodes()) {
    Values inputs;
    for (int v : node.in) inputs.push_back({&out, map[v].id});
    Values made = visit(node, inputs, out);
    for (size_t i = 0; i < node.out.size(); ++i) map[node.out[i]] = made[i];
  }
  carry_effects(graph, map, &out);
  return out;
}

}  // namespace lockstep
