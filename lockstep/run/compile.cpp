#include "lockstep/run/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/clock.h"
#include "lockstep/optim/schedule.h"

namespace lockstep {
namespace {

std::vector<float> per_channel(const std::vector<double>& values, int64_t channels) {
  std::vector<float> out(values.begin(), values.end());
  if (out.size() == 1) out.resize(static_cast<size_t>(channels), out[0]);
  return out;
}

/// The task of the evaluation differs in its batch only.
Task evaluation_task(Task task, const Settings& settings, const DataFacts& facts) {
  task.batch = evaluation_plan(settings, facts.test_size).batch;
  return task;
}

/// True when `options` end the pipeline among the graph passes, so that the bundle passes do not run.
bool stops_in_graph(const PipelineOptions& options) {
  return std::any_of(graph_passes().begin(), graph_passes().end(),
                     [&](const GraphPass& pass) { return pass.info.name == options.stop_after; });
}

class Compiler {
 public:
  Compiler(const Settings& settings, const PipelineOptions& options) : options_(options) {
    build_.steps_per_call = settings.train.steps_per_call;
    build_.ring_slots = settings.data.ring_slots;
    made_.bundle.name = settings.model_name;
  }

  void add(Graph graph, const std::string& program) {
    append(run_passes(graph, options_));
    add_program(made_.bundle, graph, program, build_);
  }

  Compiled finish() {
    if (!stops_in_graph(options_)) append(run_passes(made_.bundle, options_));
    made_.seconds = watch_.seconds();
    return std::move(made_);
  }

 private:
  void append(const std::vector<PassReport>& reports) {
    made_.reports.insert(made_.reports.end(), reports.begin(), reports.end());
  }

  Stopwatch watch_;
  const PipelineOptions& options_;
  BuildOptions build_;
  Compiled made_;
};

}  // namespace

DataFacts facts_of(const DataSets& sets) {
  return {sets.train->size(), sets.test->size(), sets.train->image_type(), sets.train->classes(),
          sets.train->resident_bytes() + sets.test->resident_bytes()};
}

DataFacts facts_of(const Settings& settings, bool needed) {
  try {
    return facts_of(open_data(settings));
  } catch (const Error& e) {
    if (needed || e.kind != ErrorKind::user) throw;
  }
  const auto& published = model_named(settings.model_name);
  // A number of classes that somebody set counts for more than that of the published model.
  bool is_set = settings.data.classes != DataSettings{}.classes;
  return {60000, 10000, published.image, is_set ? settings.data.classes : published.classes, 0};
}

Length length_of(const Settings& settings, int64_t train_size) {
  const auto& train = settings.train;
  bool drop = train.remainder == Remainder::drop;
  if (drop && train.batch > train_size)
    throw user_error("the batch is larger than the training data")
        .at("train.batch")
        .but(std::to_string(train.batch), fmt::format("{} at most, the samples there are", train_size))
        .advise("make it smaller, or set train.remainder = \"next_epoch\"");
  auto size = static_cast<double>(train_size), batch = static_cast<double>(train.batch);
  Length length;
  length.epoch_steps = drop ? std::floor(size / batch) : size / batch;
  length.steps_per_epoch = static_cast<int64_t>(std::ceil(length.epoch_steps));
  double steps =
      drop ? std::round(train.epochs * length.epoch_steps) : std::ceil(train.epochs * size / batch);
  if (!(steps <= 1e12))
    throw user_error("the training is too long")
        .at("train.epochs")
        .but(number_text(train.epochs), "fewer than 1e12 steps");
  length.total_steps = std::max<int64_t>(1, static_cast<int64_t>(steps));
  return length;
}

Task task_of(const Settings& settings, const DataFacts& facts) {
  Task task;
  task.name = settings.model_name;
  task.model = settings.model;
  task.batch = settings.train.batch;
  task.image = facts.image;
  task.classes = facts.classes;
  task.mean = per_channel(settings.data.mean, facts.image.shape.at(0));
  task.deviation = per_channel(settings.data.deviation, facts.image.shape.at(0));
  task.label_smoothing = static_cast<float>(settings.train.label_smoothing);
  task.optimizer = settings.optimizer;
  task.rates = rate_table(settings.schedule, length_of(settings, facts.train_size).total_steps);
  task.loss_scale = settings.train.loss_scale;
  return task;
}

Compiled compile(const Settings& settings, const DataFacts& facts, const PipelineOptions& options) {
  Compiler compiler(settings, options);
  Task task = task_of(settings, facts);
  compiler.add(training_graph(task), "train");
  compiler.add(evaluation_graph(evaluation_task(task, settings, facts)), "eval");
  Compiled made = compiler.finish();
  Length length = length_of(settings, facts.train_size);
  made.steps_per_epoch = length.steps_per_epoch;
  made.total_steps = length.total_steps;
  made.epoch_steps = length.epoch_steps;
  return made;
}

Compiled compile_evaluation(const Settings& settings, const DataFacts& facts,
                            const PipelineOptions& options) {
  Compiler compiler(settings, options);
  // The training's length does not matter here, nor whether its batch suits the training data.
  DataFacts any = facts;
  any.train_size = std::max(facts.train_size, settings.train.batch);
  compiler.add(evaluation_graph(evaluation_task(task_of(settings, any), settings, facts)), "eval");
  return compiler.finish();
}

}  // namespace lockstep
