#include "lockstep/grad/autodiff.h"

#include "lockstep/ops/sum_n.h"

namespace lockstep {
namespace {

/// Values that depend on one of `wrt`: only through them does a gradient have to flow.
std::vector<bool> depends_on(const Graph& graph, const Values& wrt) {
  std::vector<bool> depends(graph.value_count(), false);
  for (auto v : wrt) depends[v.id] = true;
  for (const auto& n : graph.nodes()) {
    bool any = false;
    for (int v : n.in) any = any || depends[v];
    for (int v : n.out) depends[v] = depends[v] || any;
  }
  return depends;
}

}  // namespace

Values gradients(Value loss, Value seed, const Values& wrt) {
  Graph& graph = *loss.graph;
  if (loss.type() != seed.type())
    throw bug("gradients: the seed has another type than the loss")
        .but(type_text(seed.type()), type_text(loss.type()));
  auto depends = depends_on(graph, wrt);
  std::vector<Values> parts(graph.value_count());
  parts[loss.id].push_back(seed);

  auto keep_phase = graph.phase;
  auto keep_scope = graph.scope_name();
  graph.phase = Phase::backward;
  auto total = [&](int value) -> Value {
    auto& p = parts[value];
    if (p.empty()) return {};
    if (p.size() > 1) p = {sum_n(p)};
    return p[0];
  };

  for (int n = graph.producer(loss.id); n >= 0; --n) {
    // Copied, not referenced: appending the gradient's nodes moves the list.
    const Node node = graph.nodes()[n];
    bool wanted = false;
    for (int v : node.in) wanted = wanted || depends[v];
    if (!wanted) continue;
    graph.set_scope(node.name);
    Values dy;
    bool reached = false;
    for (int v : node.out) {
      dy.push_back(total(v));
      reached = reached || dy.back();
    }
    if (!reached) continue;
    Values dx;
    try {
      dx = node.op->grad(node.attrs.get(), NodeView{&graph, n}, dy);
    } catch (Error& e) {
      throw e.at(describe(graph, node));
    }
    LS_CHECK(dx.size() == node.in.size(),
             "grad of " + std::string(node.op->info.name) + " must give one gradient per input");
    for (size_t i = 0; i < dx.size(); ++i) {
      if (!dx[i] || !depends[node.in[i]]) continue;
      LS_CHECK(dx[i].type() == graph.type(node.in[i]),
               "gradient of " + std::string(node.op->info.name) + " has another type than its input");
      parts[node.in[i]].push_back(dx[i]);
    }
  }
  Values result;
  for (auto v : wrt) {
    const Source* source = graph.source_of(v.id);
    graph.set_scope(source != nullptr ? source->name : "");
    result.push_back(total(v.id));
  }
  graph.set_scope(keep_scope);
  graph.phase = keep_phase;
  return result;
}

}  // namespace lockstep
