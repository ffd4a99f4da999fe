#include "lockstep/ir/graph.h"

#include <fmt/format.h>

namespace lockstep {

const Type& Value::type() const { return graph->type(id); }
Value NodeView::in(int i) const { return {graph, graph->nodes()[node].in[i]}; }
Value NodeView::out(int i) const { return {graph, graph->nodes()[node].out[i]}; }

int Graph::add_value(Type type, int producer) {
  types_.push_back(std::move(type));
  producers_.push_back(producer);
  return static_cast<int>(types_.size()) - 1;
}

namespace {
void add_source(Source source, std::vector<Source>& sources, std::unordered_map<std::string, int>& index) {
  if (!index.emplace(source.name, static_cast<int>(sources.size())).second)
    throw user_error("two sources are named '" + source.name + "'")
        .advise("give each layer a name of its own");
  sources.push_back(std::move(source));
}
}  // namespace

Value Graph::variable(std::string name, Type type, VariableInfo info) {
  add_source({SourceKind::variable, std::move(name), value_count(), std::move(info), {}}, sources_,
             source_index_);
  return {this, add_value(std::move(type), -1)};
}

Value Graph::stream(std::string name, Type type) {
  add_source({SourceKind::stream, std::move(name), value_count(), {}, {}}, sources_, source_index_);
  return {this, add_value(std::move(type), -1)};
}

Value Graph::table(std::string name, std::vector<float> entries) {
  Type type{DType::f32, {static_cast<int64_t>(entries.size())}};
  add_source({SourceKind::table, std::move(name), value_count(), {}, std::move(entries)}, sources_,
             source_index_);
  return {this, add_value(std::move(type), -1)};
}

Values Graph::add(Node node, const Types& output_types) {
  Values made;
  for (const auto& type : output_types) {
    node.out.push_back(add_value(type, static_cast<int>(nodes_.size())));
    made.push_back({this, node.out.back()});
  }
  nodes_.push_back(std::move(node));
  return made;
}

void Graph::assign(Value variable, Value value) {
  const Source* source = source_of(variable.id);
  if (source == nullptr || source->kind != SourceKind::variable)
    throw user_error("only a variable can be assigned to");
  if (variable.type() != value.type())
    throw user_error("assigned value has another type than its variable")
        .at(source->name)
        .but(type_text(value.type()), type_text(variable.type()));
  for (const auto& a : assigns_)
    if (a.variable == variable.id)
      throw user_error("variable is assigned twice in one step").at(source->name);
  assigns_.push_back({variable.id, value.id});
}

void Graph::output(std::string name, Value value) {
  for (const auto& o : outputs_)
    if (o.name == name) throw user_error("two outputs are named '" + name + "'");
  outputs_.push_back({std::move(name), value.id});
}

Graph::Scope Graph::scope(std::string_view name) {
  size_t keep = scope_.size();
  scope_ = scoped(name);
  return {this, keep};
}

std::string Graph::scoped(std::string_view name) const {
  return scope_.empty() ? std::string(name) : name.empty() ? scope_ : scope_ + "." + std::string(name);
}

const Source* Graph::source_of(int value) const {
  if (producers_[value] >= 0) return nullptr;
  for (const auto& s : sources_)
    if (s.value == value) return &s;
  return nullptr;
}

const Source* Graph::find_source(std::string_view name) const {
  auto it = source_index_.find(std::string(name));
  return it == source_index_.end() ? nullptr : &sources_[it->second];
}

Types Graph::types_of(const std::vector<int>& values) const {
  Types types;
  for (int v : values) types.push_back(types_[v]);
  return types;
}

std::vector<std::vector<int>> Graph::readers() const {
  std::vector<std::vector<int>> readers(types_.size());
  for (size_t n = 0; n < nodes_.size(); ++n)
    for (int v : nodes_[n].in)
      if (readers[v].empty() || readers[v].back() != static_cast<int>(n))
        readers[v].push_back(static_cast<int>(n));
  return readers;
}

Values emit_same(Graph& out, const Node& node, const Values& inputs, const Types& types) {
  Node copy = node;
  copy.in.clear();
  copy.out.clear();
  for (auto v : inputs) copy.in.push_back(v.id);
  return out.add(std::move(copy), types);
}

Graph with_sources_of(const Graph& graph, std::vector<Value>* map) {
  Graph out(graph.name());
  out.stage = graph.stage;
  map->assign(graph.value_count(), Value{});
  for (const auto& s : graph.sources()) {
    Value v;
    switch (s.kind) {
      case SourceKind::variable:
        v = out.variable(s.name, graph.type(s.value), s.variable);
        break;
      case SourceKind::stream:
        v = out.stream(s.name, graph.type(s.value));
        break;
      case SourceKind::table:
        v = out.table(s.name, s.entries);
        break;
    }
    (*map)[s.value] = v;
  }
  return out;
}

void carry_effects(const Graph& graph, const std::vector<Value>& map, Graph* out) {
  for (const auto& a : graph.assigns())
    out->assign(out->value(map[a.variable].id), out->value(map[a.value].id));
  for (const auto& o : graph.outputs()) out->output(o.name, out->value(map[o.value].id));
  out->phase = graph.phase;
}

Graph Graph::clone() const {
  return rebuild(*this, [&](const Node& node, const Values& in, Graph& out) {
    return emit_same(out, node, in, types_of(node.out));
  });
}

std::string describe(const Graph&, const Node& node) {
  std::string_view file = node.site.file;
  if (auto at = file.rfind("lockstep/"); at != std::string_view::npos) file = file.substr(at + 9);
  auto line = node.site.line == 0 ? "" : fmt::format(", {}:{}", file, node.site.line);
  return fmt::format("{} ({}{})", node.name.empty() ? "<unnamed>" : node.name, node.op->info.name, line);
}

}  // namespace lockstep
