// lockstep models: the short names, what they are, how large they are.
#include "cli/models.h"

#include <fmt/format.h>

#include "cli/inspect.h"
#include "cli/options.h"
#include "cli/report.h"
#include "lockstep/program/training.h"

namespace lockstep::cli {
namespace {

int64_t count_parameters(const NamedModel& model) {
  auto settings = load_settings(model.name, {});
  return parameters_of(evaluation_graph(task_of(settings, published_facts(model))));
}

void print_table() {
  fmt::print("{:<12}{:>14}  {:<14}{:>7}  {}\n", "name", "parameters", "image", "classes", "");
  for (const auto& m : named_models())
    fmt::print("{:<12}{:>14}  {:<14}{:>7}  {}\n", m.name, grouped(count_parameters(m)), type_text(m.image),
               m.classes, m.help);
}

void print_objects() {
  auto models = nlohmann::ordered_json::array();
  for (const auto& m : named_models())
    models.push_back({{"name", m.name},
                      {"help", m.help},
                      {"parameters", count_parameters(m)},
                      {"image", m.image.shape},
                      {"classes", m.classes}});
  print_json({{"models", models}});
}

}  // namespace

Action declare_models(CLI::App& app) {
  auto output = std::make_shared<OutputOptions>();
  add_output_options(app, *output);
  return [output] {
    if (output->json)
      print_objects();
    else
      print_table();
    return exit_code::done;
  };
}

}  // namespace lockstep::cli
