// lockstep eval: accuracy of trained weights on the test data.
#include "cli/eval.h"

#include <fmt/format.h>

#include "cli/inspect.h"
#include "cli/options.h"
#include "cli/report.h"
#include "lockstep/run/engine.h"

namespace lockstep::cli {
namespace {

struct Options {
  SettingsOptions settings;
  OutputOptions output;
  std::string weights;
};

int run_eval(const Options& options) {
  auto result = evaluate(options.settings.load(), options.weights);
  if (options.output.json) {
    print_json({{"loss", result.loss},
                {"accuracy", result.accuracy},
                {"accuracy5", result.accuracy5},
                {"samples", result.samples},
                {"seconds", result.seconds}});
  } else {
    fmt::print("test accuracy  {:.2f} %  (top 5: {:.2f} %)\n", 100 * result.accuracy, 100 * result.accuracy5);
    fmt::print("test loss      {:.4f}\n", result.loss);
    fmt::print("samples        {} in {}\n", grouped(result.samples), duration_text(result.seconds));
  }
  return exit_code::done;
}

}  // namespace

Action declare_eval(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->settings.add_to(app);
  app.add_option("--weights", options->weights, "a checkpoint, a run folder or a model.safetensors")
      ->required()
      ->type_name("PATH")
      ->take_last();
  add_output_options(app, options->output);
  return [options] { return run_eval(*options); };
}

}  // namespace lockstep::cli
