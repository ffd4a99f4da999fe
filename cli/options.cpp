#include "cli/options.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep::cli {

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_flag("--quiet", options.quiet, "print errors and the result only");
  app.add_flag("--json", options.json, "print the result, or the error, as one JSON object");
}

void SettingsOptions::add_to(CLI::App& app) {
  app.add_option("CONFIG", config_, "a .toml file, or a model's short name")->required()->type_name("");
  app.add_option("--set", set_,
                 "set any key of the config, as in train.batch=64; repeatable, the last one wins")
      ->type_name("TABLE.KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_short_form(app, "--data", "data.folder", true, "DIR", "folder of the data set");
  add_short_form(app, "--target", "target.name", true, "NAME", "what runs the programs: cpu or ref");
  add_short_form(app, "--threads", "target.threads", false, "N",
                 "threads of the target; 0: all that this process may use");
  add_short_form(app, "--seed", "train.seed", false, "N",
                 "seed of initial values, order, augmentation and dropout");
}

void SettingsOptions::add_short_form(CLI::App& app, const std::string& option, const std::string& key,
                                     bool is_text, const std::string& value_name, const std::string& help) {
  auto& form =
      *short_forms_.emplace_back(std::make_unique<ShortForm>(ShortForm{option, key, is_text, {}, nullptr}));
  form.given = app.add_option(option, form.value, fmt::format("{} [{}]", help, key))
                   ->type_name(value_name)
                   ->take_last();
}

Settings SettingsOptions::load() const {
  auto overrides = set_;
  std::vector<std::pair<std::string, std::string>> typed;  // an override's place, and what stands for it
  for (const auto& form : short_forms_) {
    if (form->given->count() == 0) continue;
    overrides.push_back(form->is_text ? text_override(form->key, form->value)
                                      : form->key + "=" + form->value);
    typed.emplace_back("--set " + overrides.back(), form->option + " " + form->value);
  }
  try {
    return load_settings(config_, overrides);
  } catch (Error& e) {
    for (const auto& [place, words] : typed)
      if (e.where == place) {
        e.where.clear();
        throw e.at(words);
      }
    throw;
  }
}

}  // namespace lockstep::cli
