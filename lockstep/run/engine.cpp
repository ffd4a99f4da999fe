#include "lockstep/run/engine.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lockstep/base/error.h"
#include "lockstep/run/compile.h"
#include "lockstep/run/data_sets.h"
#include "lockstep/run/initial.h"
#include "lockstep/run/model_file.h"
#include "lockstep/run/resume.h"
#include "lockstep/run/signals.h"
#include "lockstep/run/training_loop.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Executable> lowered(const Settings& settings, const Lower& lower, Bundle bundle) {
  if (lower) return lower(std::move(bundle));
  const auto& target = settings.target;
  TargetOptions options{static_cast<int>(target.threads), target.in_double, target.force, target.avoid};
  return target_named(target.name).lower(std::move(bundle), options);
}

fs::path folder_of(const TrainOptions& options) {
  if (!options.out.empty()) return options.out;
  if (options.resume == "auto" || options.resume == "none") return default_run_folder(options.name);
  fs::path from(options.resume);
  if (fs::is_directory(from)) return from;
  return from.has_parent_path() ? from.parent_path() : fs::path(".");
}

int64_t peak_rss_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

/// Sets the variables from the checkpoint to resume from, or to their first values, and says where they
/// stand.
CheckpointInfo start_variables(Executable& executable, const TrainOptions& options, const fs::path& folder,
                               CheckpointInfo fresh, Listener& listener) {
  auto warn = [&](const std::string& text) { listener.on_message({MessageEvent::Level::warn, text}); };
  auto found = find_checkpoint(options.resume, folder, warn);
  if (!found) {
    initialise(executable, fresh.seed);
    return fresh;
  }
  found->check_variables(executable.bundle());
  check_same_trajectory(found->info().settings, fresh.settings, found->path().string());
  found->restore(executable);
  listener.on_message({MessageEvent::Level::info,
                       fmt::format("going on from step {}: {}", found->info().step, found->path().string())});
  CheckpointInfo at = found->info();
  at.bundle = fresh.bundle;
  return at;
}

LoopSettings loop_settings(const Settings& settings, const Compiled& compiled, const TrainOptions& options) {
  LoopSettings loop;
  int64_t total = compiled.total_steps;
  loop.cadence = {.end = options.max_steps > 0 ? std::min(options.max_steps, total) : total,
                  .steps_per_call = settings.train.steps_per_call,
                  .evaluate_every = settings.evaluate.every_epochs * compiled.epoch_steps,
                  .checkpoint_every = settings.checkpoint.every_steps};
  loop.epoch_steps = compiled.epoch_steps;
  loop.until = settings.evaluate.until;
  loop.keep = settings.checkpoint.keep;
  return loop;
}

fs::path weights_file(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  if (fs::exists(path / "model.safetensors")) return path / "model.safetensors";
  return find_checkpoint(path.string(), path, [](const std::string&) {})->path();
}

}  // namespace

TrainResult train(const Settings& settings, const TrainOptions& options,
                  const std::vector<Listener*>& listeners) {
  check_settings(settings);
  if (options.max_steps < 0)
    throw user_error("max_steps is negative").but(std::to_string(options.max_steps), "0 or more");
  check_resume(options.resume);
  Listeners listener(listeners);
  std::optional<StopSignals> signals;
  if (options.catch_signals) signals.emplace();

  DataSets data = open_data(settings);
  DataFacts facts = facts_of(data);
  Compiled compiled = compile(settings, facts);
  CheckpointInfo fresh;
  fresh.seed = static_cast<uint64_t>(settings.train.seed);
  fresh.bundle = hash_of(compiled.bundle);
  fresh.settings = trajectory_of(settings, facts.train_size);
  LoopSettings loop_options = loop_settings(settings, compiled, options);
  loop_options.stop = [&] { return (signals && signals->requested()) || (options.stop && options.stop()); };

  auto executable = lowered(settings, options.lower, std::move(compiled.bundle));
  RunFolder folder(folder_of(options));
  CheckpointInfo at = start_variables(*executable, options, folder.path(), fresh, listener);
  folder.write_config(settings_text(settings));
  MetricsFile metrics(folder.metrics_path(), {at.step, at.evaluated_step});

  int workers = static_cast<int>(settings.data.workers);
  Feed feed(executable->bundle().program("train"), data.train, training_plan(settings, facts.train_size),
            augment_of(settings), workers);
  executable->connect(executable->bundle().find_program("train"), &feed);
  Evaluation evaluation(*executable, data.test, evaluation_plan(settings, facts.test_size), workers);

  int64_t host_bytes = feed.bytes() + evaluation.ring_bytes() + facts.resident_bytes;
  listener.on_start({.run_folder = folder.path(),
                     .bundle_hash = fresh.bundle,
                     .target = settings.target.name,
                     .first_step = at.step,
                     .last_step = loop_options.cadence.end,
                     .total_steps = compiled.total_steps,
                     .steps_per_epoch = compiled.steps_per_epoch,
                     .batch = settings.train.batch,
                     .train_samples = facts.train_size,
                     .test_samples = facts.test_size,
                     .memory = executable->memory(),
                     .host_bytes = host_bytes});
  TrainingLoop loop(*executable, feed, evaluation, folder, metrics, listener, std::move(loop_options), at);
  LoopResult done = loop.run();
  if (!done.preempted) write_model(folder.model_path(), *executable);

  auto images = static_cast<double>(done.steps_here * settings.train.batch);
  return {.value = done.accuracy,
          .target_reached = done.target_reached,
          .preempted = done.preempted,
          .seconds = done.seconds,
          .steps = done.steps,
          .images_per_second = done.call_seconds > 0 ? images / done.call_seconds : 0,
          .run_folder = folder.path(),
          .bundle_hash = fresh.bundle,
          .memory = executable->memory(),
          .peak_rss_bytes = peak_rss_bytes(),
          .host_bytes = host_bytes};
}

EvalResult evaluate(const Settings& settings, const fs::path& weights, const Lower& lower) {
  check_settings(settings);
  auto test = open_test_data(settings);
  DataFacts facts{0, test->size(), test->image_type(), test->classes()};
  auto executable = lowered(settings, lower, compile_evaluation(settings, facts).bundle);
  initialise(*executable, static_cast<uint64_t>(settings.train.seed));
  load_model(weights_file(weights), *executable);
  Evaluation evaluation(*executable, test, evaluation_plan(settings, facts.test_size),
                        static_cast<int>(settings.data.workers));
  return *evaluation.run();
}

}  // namespace lockstep
