#include "lockstep/ir/op.h"

#include <fmt/format.h>

#include "lockstep/ir/graph.h"

namespace lockstep {

Cost streaming_cost(const Types& inputs, const Types& outputs, double flops_per_output) {
  Cost cost;
  for (const auto& t : inputs) cost.bytes += static_cast<double>(t.bytes());
  for (const auto& t : outputs) {
    cost.bytes += static_cast<double>(t.bytes());
    cost.flops += flops_per_output * static_cast<double>(t.elements());
  }
  return cost;
}

void refuse(std::string_view op, std::string text, std::string got, std::string want) {
  throw user_error(fmt::format("{}: {}", op, text)).but(std::move(got), std::move(want));
}

void check_arity(const OpInfo& info, size_t inputs) {
  size_t fixed = info.inputs.size();
  bool good = info.inputs.variadic() ? inputs >= fixed : inputs == fixed;
  if (good) return;
  std::vector<std::string> names;
  for (size_t i = 0; i < fixed; ++i) names.emplace_back(info.inputs[i]);
  refuse(info.name, "wrong number of inputs", std::to_string(inputs), fmt::format("({})", join(names, ", ")));
}

Values emit_row(Graph& graph, const OpRow& row, std::shared_ptr<const void> attrs, const Values& inputs,
                Site site) {
  Node node;
  node.op = &row;
  node.attrs = std::move(attrs);
  node.name = graph.scope_name();
  node.phase = graph.phase;
  node.site = site;
  Types types;
  for (auto v : inputs) {
    if (!v || v.graph != &graph)
      throw user_error(fmt::format("{}: an input belongs to another graph", row.info.name))
          .at(describe(graph, node));
    node.in.push_back(v.id);
    types.push_back(v.type());
  }
  Types out;
  try {
    check_arity(row.info, types.size());
    out = row.infer(node.attrs.get(), types);
  } catch (Error& e) {
    throw e.at(describe(graph, node));
  }
  return graph.add(std::move(node), out);
}

}  // namespace lockstep
