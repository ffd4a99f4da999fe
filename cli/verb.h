// A verb of the command: `lockstep <verb> ...`. One pair of files each, one line in verbs.cpp.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string_view>
#include <vector>

namespace lockstep::cli {

/// Does what the verb is for, once its options are read; returns the exit code.
using Action = std::function<int()>;

struct Verb {
  std::string_view name, help;
  /// Adds the verb's arguments and options to `app`, its own subcommand.
  Action (*declare)(CLI::App& app);
};

/// THE list, in the order of the help.
const std::vector<Verb>& all_verbs();

}  // namespace lockstep::cli
