// Options that several verbs have.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "lockstep/config/settings.h"

namespace lockstep::cli {

/// --quiet, --json
struct OutputOptions {
  bool quiet = false, json = false;
};
void add_output_options(CLI::App& app, OutputOptions& options);

/// CONFIG, --set and the short forms of single settings.
class SettingsOptions {
 public:
  void add_to(CLI::App& app);
  /// An option whose value is a key of the settings. `is_text`: taken as it is, whatever its characters.
  void add_short_form(CLI::App& app, const std::string& option, const std::string& key, bool is_text,
                      const std::string& value_name, const std::string& help);

  const std::string& config() const { return config_; }  ///< a path or a model's name
  /// Short forms win over --set; errors name what was typed.
  Settings load() const;

 private:
  struct ShortForm {
    std::string option, key;
    bool is_text = false;
    std::string value;
    CLI::Option* given = nullptr;
  };
  std::string config_;
  std::vector<std::string> set_;
  std::vector<std::unique_ptr<ShortForm>> short_forms_;  // CLI11 keeps their addresses
};

}  // namespace lockstep::cli
