#include "lockstep/program/training.h"

#include <fmt/format.h>

#include "lockstep/grad/autodiff.h"
#include "lockstep/ops/all_finite.h"
#include "lockstep/ops/cast.h"
#include "lockstep/ops/constant.h"
#include "lockstep/ops/counter.h"
#include "lockstep/ops/cross_entropy.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/gather.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/reshape.h"
#include "lockstep/ops/top_k.h"

namespace lockstep {
namespace {

const Type scalar_f32{DType::f32, {}};

/// The host's side of a batch.
struct Batch {
  Value image, label, mask, sample_key;
};

Batch declare_batch(Graph& graph, const Task& task) {
  if (task.batch < 1)
    throw user_error("a batch needs at least one row").but(std::to_string(task.batch), ">= 1");
  Shape image{task.batch};
  image.insert(image.end(), task.image.shape.begin(), task.image.shape.end());
  return {graph.stream("image", {task.image.dtype, image}), graph.stream("label", {DType::i32, {task.batch}}),
          graph.stream("mask", {DType::f32, {task.batch}}),
          graph.stream("sample_key", {DType::u64, {task.batch}})};
}

/// u8 pixels -> (x / 255 - mean) / deviation, as one multiply-add per channel.
Value normalised(Graph& graph, const Task& task, Value image) {
  if (task.image.dtype == DType::f32) return image;
  if (task.image.dtype != DType::u8 || task.image.shape.size() != 3)
    throw user_error("images must be u8 or f32, and u8 ones (channels, height, width)")
        .but(type_text(task.image), "for example u8[3,32,32]");
  auto channels = static_cast<size_t>(task.image.shape[0]);
  if (task.mean.size() != channels || task.deviation.size() != channels)
    throw user_error("mean and deviation need one number per image channel")
        .but(fmt::format("{} and {}", task.mean.size(), task.deviation.size()),
             fmt::format("{} each", channels));
  std::vector<float> factor, offset;
  for (size_t c = 0; c < channels; ++c) {
    if (!(task.deviation[c] > 0))
      throw user_error("deviation must be above 0").but(number_text(task.deviation[c]), "> 0");
    factor.push_back(1 / (255 * task.deviation[c]));
    offset.push_back(-task.mean[c] / task.deviation[c]);
  }
  auto in = graph.scope("normalise");
  Shape per_channel{1, static_cast<int64_t>(channels), 1, 1};
  auto f = reshape(graph.table("image_factor", factor), per_channel),
       o = reshape(graph.table("image_offset", offset), per_channel);
  return add(mul(cast(image, DType::f32), f), o);
}

Value total(Value rows) { return reduce_sum(rows, {0}, false); }

/// Variables of the run itself.
struct RunState {
  Value step, attempt, seed, loss_scale, finite;
};

RunState declare_run_state(Graph& graph, const Task& task) {
  auto make = [&](const char* name, Type type, Role role, Init init, double scale) {
    return graph.variable(name, std::move(type), {role, false, init, scale, {}});
  };
  return {make("step", {DType::i64, {}}, Role::counter, Init::zeros, 0),
          make("attempt", {DType::i64, {}}, Role::counter, Init::zeros, 0),
          make("seed", {DType::u64, {}}, Role::seed, Init::zeros, 0),
          make("loss_scale", scalar_f32, Role::loss_scale, Init::constant, task.loss_scale),
          make("finite", {DType::pred, {}}, Role::flag, Init::ones, 0)};
}

}  // namespace

Graph training_graph(const Task& task) {
  Graph graph(task.name + ".train");
  auto batch = declare_batch(graph, task);
  auto run = declare_run_state(graph, task);
  Layers layers(graph, Mode::train, norm_options_of(task.model));
  layers.set_randomness(run.seed, run.step, batch.sample_key);
  auto logits = logits_of(task.model, layers, normalised(graph, task, batch.image), task.classes);

  graph.set_scope("loss");
  auto samples = total(batch.mask);
  auto rows = cross_entropy(logits, batch.label, task.label_smoothing).loss;
  auto loss = div(total(mul(rows, batch.mask)), samples);
  auto correct = total(mul(top_k_correct(logits, batch.label, 1), batch.mask));

  graph.phase = Phase::backward;
  bool scaled = task.loss_scale != 1;
  auto seed = scaled ? run.loss_scale : constant(graph, 1, scalar_f32);
  auto grads = gradients(loss, seed, layers.parameters());
  graph.phase = Phase::update;
  graph.set_scope("update");
  auto unscale = scaled ? div(constant(graph, 1, scalar_f32), run.loss_scale) : Value{};
  Values checked{loss};
  for (size_t i = 0; i < grads.size(); ++i) {
    if (!grads[i])
      throw user_error("the loss does not depend on a trainable variable")
          .at(graph.source_of(layers.parameters()[i].id)->name);
    if (scaled) grads[i] = mul(grads[i], unscale);
    checked.push_back(grads[i]);
  }
  auto finite = all_finite(checked);
  auto rate = gather(graph.table("learning_rate", task.rates), run.step);
  for (size_t i = 0; i < grads.size(); ++i)
    append_update(graph, task.optimizer, {layers.parameters()[i], grads[i], rate, finite});
  layers.update_statistics(finite);
  graph.set_scope("update");
  graph.assign(run.step, advance(run.step, finite));
  graph.assign(run.attempt, advance(run.attempt, constant(graph, 1, {DType::pred, {}})));
  graph.assign(run.finite, finite);

  graph.output("loss", loss);
  graph.output("correct", correct);
  graph.output("samples", samples);
  graph.output("rate", rate);
  graph.output("finite", finite);
  graph.stage = GraphStage::trained;
  return graph;
}

Graph evaluation_graph(const Task& task) {
  Graph graph(task.name + ".eval");
  auto batch = declare_batch(graph, task);
  Layers layers(graph, Mode::infer, norm_options_of(task.model));
  auto logits = logits_of(task.model, layers, normalised(graph, task, batch.image), task.classes);
  graph.set_scope("metrics");
  auto rows = cross_entropy(logits, batch.label).loss;
  graph.output("loss_sum", total(mul(rows, batch.mask)));
  graph.output("correct", total(mul(top_k_correct(logits, batch.label, 1), batch.mask)));
  graph.output("correct5", total(mul(top_k_correct(logits, batch.label, 5), batch.mask)));
  graph.output("samples", total(batch.mask));
  graph.stage = GraphStage::trained;
  return graph;
}

}  // namespace lockstep
