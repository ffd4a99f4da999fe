// The command `lockstep`: finds the verb, runs it, turns errors into messages and exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

#include "cli/arguments.h"
#include "cli/report.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

int run_words(const std::vector<std::string>& words) {
  CLI::App app("lockstep compiles a whole training step into one static program, and runs it.", "lockstep");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION, "print the version");
  app.get_formatter()->column_width(34);
  Action chosen;
  for (const auto& verb : all_verbs()) {
    auto* sub = app.add_subcommand(std::string(verb.name), std::string(verb.help));
    sub->callback([&chosen, action = verb.declare(*sub)] { chosen = action; });
  }
  app.require_subcommand(1);
  try {
    parse_words(app, words);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  }
  return chosen();
}

/// Output that nobody could take is an error, not a success.
int flushed(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return report_error(system_error("cannot write to standard output", errno), false);
}

int run(const std::vector<std::string>& words) {
  bool json = std::find(words.begin(), words.end(), "--json") != words.end();
  try {
    return flushed(run_words(words));
  } catch (const Error& e) {
    return report_error(e, json);
  } catch (const std::bad_alloc&) {
    return report_error(system_error("not enough memory"), json);
  } catch (const std::filesystem::filesystem_error& e) {
    return report_error(system_error(e.code().message()).at(e.path1().string()), json);
  } catch (const std::system_error& e) {
    return report_error(system_error(e.what()), json);
  } catch (const std::exception& e) {
    return report_error(bug(e.what()), json);
  }
}

}  // namespace
}  // namespace lockstep::cli

int main(int count, char** words) { return lockstep::cli::run({words + 1, words + std::max(1, count)}); }
