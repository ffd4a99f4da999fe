#include "lockstep/optim/optimizer.h"

namespace lockstep {

double SgdOptimizer::decay_of(Role role) const {
  bool decayed = role == Role::weight || (role == Role::bias && decay_bias) ||
                 ((role == Role::norm_scale || role == Role::norm_shift) && decay_norm);
  return decayed ? weight_decay : 0;
}

void SgdOptimizer::update(Graph& graph, const UpdateInputs& in) const {
  const Source source = *graph.source_of(in.parameter.id);
  VariableInfo buffer_info{Role::optimizer_state, false, Init::zeros, 0, source.name};
  auto momentum_buffer = graph.variable(source.name + ".momentum", in.parameter.type(), buffer_info);
  auto made = sgd(in.parameter, in.gradient, momentum_buffer, in.rate, in.apply,
                  {.form = form,
                   .momentum = momentum,
                   .nesterov = nesterov,
                   .weight_decay = decay_of(source.variable.role)});
  graph.assign(in.parameter, made.w);
  graph.assign(momentum_buffer, made.m);
}

std::vector<RecordInfo> all_optimizers() { return {SgdOptimizer::info}; }

void append_update(Graph& graph, const Optimizer& optimizer, const UpdateInputs& in) {
  auto scope = graph.scope(graph.source_of(in.parameter.id)->name);
  std::visit([&](const auto& o) { o.update(graph, in); }, optimizer);
}

}  // namespace lockstep
