// lockstep train: a run from a config, with what it prints.
#include "cli/train.h"

#include <fmt/format.h>

#include "cli/inspect.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "lockstep/run/engine.h"

namespace lockstep::cli {
namespace {

struct Options {
  SettingsOptions settings;
  OutputOptions output;
  std::string out, max_steps = "0", resume = "auto";
};

TrainOptions train_options(const Options& options) {
  TrainOptions train;
  train.out = options.out;
  train.name = std::filesystem::path(options.settings.config()).stem().string();
  train.resume = options.resume;
  try {
    train.max_steps = parse_int(options.max_steps);
  } catch (Error& e) {
    throw e.at("--max-steps " + options.max_steps)
        .but(options.max_steps, "a whole number, 0 or more; 0: no limit");
  }
  if (train.max_steps < 0)
    throw user_error("a negative number of steps")
        .at("--max-steps " + options.max_steps)
        .but(options.max_steps, "0 or more; 0: no limit");
  return train;
}

/// `measured` is false when the run was stopped before its first evaluation: it has no value then.
nlohmann::ordered_json object_of(const TrainResult& result, bool measured) {
  using Json = nlohmann::ordered_json;
  return {{"metric", result.metric},
          {"value", measured ? Json(result.value) : Json()},
          {"target_reached", result.target_reached},
          {"preempted", result.preempted},
          {"seconds", result.seconds},
          {"steps", result.steps},
          {"images_per_second", result.images_per_second},
          {"planned_bytes", planned_bytes(result.memory, result.host_bytes)},
          {"peak_rss_bytes", result.peak_rss_bytes},
          {"bundle_hash", result.bundle_hash},
          {"run_folder", result.run_folder.string()}};
}

void print_summary(const TrainResult& result, const Settings& settings, bool measured) {
  int64_t planned = planned_bytes(result.memory, result.host_bytes);
  if (!measured)
    fmt::print("test accuracy  not measured yet\n");
  else
    fmt::print("test accuracy  {:.2f} %{}\n", 100 * result.value,
               settings.evaluate.until <= 0
                   ? ""
                   : fmt::format(", {} {:.2f} %", result.target_reached ? "reached" : "below",
                                 100 * settings.evaluate.until));
  fmt::print("time to train  {}, {} steps, evaluations included\n", duration_text(result.seconds),
             grouped(result.steps));
  fmt::print("throughput     {:.1f} images/s while training\n", result.images_per_second);
  fmt::print("memory         {} planned, {} used at the peak (whole process)\n", bytes_text(planned),
             bytes_text(result.peak_rss_bytes));
  fmt::print("run            {}\n", result.run_folder.string());
  if (result.preempted)
    fmt::print("stopped on request; the same command with --out {} goes on from step {}\n",
               result.run_folder.string(), result.steps);
}

int run_train(const Options& options) {
  auto settings = options.settings.load();
  auto train_with = train_options(options);
  bool json = options.output.json;
  Progress progress(json ? stderr : stdout, options.output.quiet, settings);
  train_with.lower = [&](Bundle bundle) {
    progress.set_parameters(parameters_of(bundle));
    return lower(settings, std::move(bundle));
  };
  TrainResult result;
  try {
    result = train(settings, train_with, {&progress});
  } catch (...) {
    progress.clear();
    throw;
  }
  progress.clear();
  bool measured = !result.preempted || progress.evaluated();
  if (json)
    print_json(object_of(result, measured));
  else
    print_summary(result, settings, measured);
  if (result.preempted) return exit_code::preempted;
  return result.target_reached ? exit_code::done : exit_code::target_not_reached;
}

}  // namespace

Action declare_train(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->settings.add_to(app);
  options->settings.add_short_form(app, "--until", "evaluate.until", false, "VALUE",
                                   "test accuracy at which training ends, as in 0.92");
  app.add_option("--out", options->out, "run folder; without it a new one in runs/")
      ->type_name("DIR")
      ->take_last();
  app.add_option("--max-steps", options->max_steps,
                 "stop after so many steps; the learning rate goes as if there were more")
      ->type_name("N")
      ->take_last();
  app.add_option("--resume", options->resume,
                 "auto (go on from the run folder's newest checkpoint), none, or a checkpoint or run folder")
      ->type_name("auto|none|PATH")
      ->take_last();
  add_output_options(app, options->output);
  return [options] { return run_train(*options); };
}

}  // namespace lockstep::cli
