#include "lockstep/ir/interpret.h"

#include <fmt/format.h>

namespace lockstep {

Tensors evaluate(const OpRow& op, const void* attrs, const std::vector<const Tensor*>& inputs,
                 const InterpretOptions& options) {
  Types types;
  for (const auto* t : inputs) types.push_back(t->type);
  Tensors made;
  for (const auto& type : op.infer(attrs, types)) made.emplace_back(type);
  std::vector<Tensor*> out;
  for (auto& t : made) out.push_back(&t);
  op.eval(attrs, {inputs, out});
  for (auto& t : made)
    if (!options.in_double || !t.is_real()) round_to_type(t);
  return made;
}

Interpreted interpret(const Graph& graph, const std::map<std::string, Tensor>& sources,
                      const InterpretOptions& options) {
  Interpreted result;
  result.values.resize(graph.value_count());
  for (const auto& s : graph.sources()) {
    auto& value = result.values[s.value];
    if (s.kind == SourceKind::table) {
      value = Tensor(graph.type(s.value));
      value.real.assign(s.entries.begin(), s.entries.end());
      continue;
    }
    auto it = sources.find(s.name);
    if (it == sources.end())
      throw user_error(fmt::format("no value given for {} '{}'", field_text(s.kind), s.name));
    if (it->second.type != graph.type(s.value))
      throw user_error("value has another type than its source")
          .at(s.name)
          .but(type_text(it->second.type), type_text(graph.type(s.value)));
    value = it->second;
  }
  for (const auto& node : graph.nodes()) {
    std::vector<const Tensor*> in;
    for (int v : node.in) in.push_back(&result.values[v]);
    try {
      auto made = evaluate(*node.op, node.attrs.get(), in, options);
      for (size_t i = 0; i < node.out.size(); ++i) result.values[node.out[i]] = std::move(made[i]);
    } catch (Error& e) {
      throw e.at(describe(graph, node));
    }
  }
  for (const auto& o : graph.outputs()) result.outputs[o.name] = result.values[o.value];
  for (const auto& a : graph.assigns())
    result.assigned[graph.source_of(a.variable)->name] = result.values[a.value];
  return result;
}

}  // namespace lockstep
