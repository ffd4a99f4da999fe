// Reads the command line; every mistake in it is a user error that names the word and the nearest right one.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace lockstep::cli {

/// Throws for an unknown verb or option, before CLI11 looks at the words.
void check_names(const CLI::App& app, const std::vector<std::string>& words);

/// Checks names, then parses. Throws a user error; help and version come as CLI::Success.
void parse_words(CLI::App& app, const std::vector<std::string>& words);

}  // namespace lockstep::cli
