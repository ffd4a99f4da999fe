// lockstep show: what a config compiles to, at each station.
#include "cli/show.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/inspect.h"
#include "cli/memory_table.h"
#include "cli/options.h"
#include "cli/report.h"
#include "lockstep/ir/print.h"
#include "lockstep/run/compile.h"

namespace lockstep::cli {
namespace {

enum class Station { graph, bundle, plan, memory };
std::vector<std::string_view> names_of(Station) { return {"graph", "bundle", "plan", "memory"}; }
enum class ProgramName { train, eval };
std::vector<std::string_view> names_of(ProgramName) { return {"train", "eval"}; }

struct Options {
  SettingsOptions settings;
  OutputOptions output;
  std::string as = "graph", program = "train", after;
};

template <NamedEnum E>
E choice(const std::string& option, const std::string& text) {
  E value{};
  try {
    field_parse(text, value);
  } catch (Error& e) {
    throw e.at(option + " " + text);
  }
  return value;
}

/// A model's own image and classes when it was asked for by name, whatever the data set; else the data's.
DataFacts facts_for(const Options& options, const Settings& settings) {
  bool is_file = std::filesystem::is_regular_file(options.settings.config());
  for (const auto& model : named_models())
    if (!is_file && model.name == options.settings.config()) return published_facts(model);
  return facts_of(settings, false);
}

struct Shown {
  std::string text, hash;
};

Compiled compile_one(ProgramName program, const Settings& settings, const DataFacts& facts,
                     const PipelineOptions& pipeline) {
  return program == ProgramName::train ? compile(settings, facts, pipeline)
                                       : compile_evaluation(settings, facts, pipeline);
}

/// The graph behind the pass `after`, or behind the last one.
Shown graph_of(const Options& options, ProgramName program, const Settings& settings,
               const DataFacts& facts) {
  std::string last(graph_passes().back().info.name), after = options.after.empty() ? last : options.after;
  auto is_after = [&](const auto& pass) { return pass.name == after; };
  if (std::any_of(bundle_passes().begin(), bundle_passes().end(), is_after))
    throw user_error(fmt::format("{} is a pass over bundles", after))
        .at("--after " + after)
        .advise("show it with --as bundle");
  Shown shown;
  PipelineOptions pipeline{.skip = {}, .stop_after = after, .after_graph_pass = {}, .after_bundle_pass = {}};
  auto suffix = "." + options.program;
  pipeline.after_graph_pass = [&](const std::string& pass, const Graph& graph) {
    if (pass == after && graph.name().ends_with(suffix)) shown = {print(graph), hash_of(graph)};
  };
  compile_one(program, settings, facts, pipeline);
  return shown;
}

Shown bundle_of(const Options& options, const Settings& settings, const DataFacts& facts) {
  PipelineOptions pipeline{
      .skip = {}, .stop_after = options.after, .after_graph_pass = {}, .after_bundle_pass = {}};
  auto bundle = compile(settings, facts, pipeline).bundle;
  return {print(bundle), hash_of(bundle)};
}

void print_shown(const Options& options, const Shown& shown) {
  if (options.output.json)
    print_json({{"as", options.as}, {"hash", shown.hash}, {"text", shown.text}});
  else
    fmt::print("// hash {}\n{}", shown.hash, shown.text);
}

void show_lowered(const Options& options, Station station, const Settings& settings, const DataFacts& facts) {
  PipelineOptions pipeline{
      .skip = {}, .stop_after = options.after, .after_graph_pass = {}, .after_bundle_pass = {}};
  auto executable = lower(settings, compile(settings, facts, pipeline).bundle);
  auto hash = hash_of(executable->bundle());
  if (station == Station::plan) {
    print_shown(options, {executable->plan_text(), hash});
  } else if (options.output.json) {
    nlohmann::ordered_json object{{"as", "memory"}, {"hash", hash}, {"target", settings.target.name}};
    object.update(memory_object(*executable, settings, facts.resident_bytes));
    print_json(object);
  } else {
    fmt::print("{} on {}, batch {}, bundle {}\n{}", settings.model_name, settings.target.name,
               settings.train.batch, hash.substr(0, 12),
               memory_text(*executable, settings, facts.resident_bytes));
  }
}

int run_show(const Options& options) {
  auto station = choice<Station>("--as", options.as);
  auto program = choice<ProgramName>("--program", options.program);
  auto settings = options.settings.load();
  auto facts = facts_for(options, settings);
  if (station == Station::graph)
    print_shown(options, graph_of(options, program, settings, facts));
  else if (station == Station::bundle)
    print_shown(options, bundle_of(options, settings, facts));
  else
    show_lowered(options, station, settings, facts);
  return exit_code::done;
}

}  // namespace

Action declare_show(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->settings.add_to(app);
  app.add_option("--as", options->as, "graph, bundle, plan (what the target made of it) or memory")
      ->type_name("STATION")
      ->take_last();
  app.add_option("--program", options->program, "of --as graph: train or eval")
      ->type_name("NAME")
      ->take_last();
  app.add_option("--after", options->after, "stop behind this pass")->type_name("PASS")->take_last();
  add_output_options(app, options->output);
  return [options] { return run_show(*options); };
}

}  // namespace lockstep::cli
