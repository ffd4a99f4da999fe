#include "cli/report.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace lockstep::cli {
namespace {

constexpr std::string_view please_report =
    "this is a mistake in lockstep, not yours: please report it with this message and the command line";

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::user:
      return "user";
    case ErrorKind::system:
      return "system";
    case ErrorKind::data:
      return "data";
    case ErrorKind::bug:
      break;
  }
  return "bug";
}

}  // namespace

void print_json(const nlohmann::ordered_json& value) {
  auto text = value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  fmt::print("{}\n", text);
}

int report_error(const Error& error, bool json) {
  Error shown = error;
  if (shown.kind == ErrorKind::bug && shown.hint.empty()) shown.advise(std::string(please_report));
  std::fflush(stdout);
  bool colour = takes_colour(stderr);
  fmt::print(stderr, "lockstep: {}error:{} {}\n", colour ? "\x1b[1;31m" : "", colour ? "\x1b[0m" : "",
             shown.what());
  if (json)
    print_json({{"error",
                 {{"kind", name_of(shown.kind)},
                  {"problem", shown.problem},
                  {"where", shown.where},
                  {"got", shown.got},
                  {"want", shown.want},
                  {"hint", shown.hint}}}});
  return shown.exit_code();
}

bool is_terminal(std::FILE* stream) {
  const char* term = std::getenv("TERM");
  return ::isatty(::fileno(stream)) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

bool takes_colour(std::FILE* stream) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_terminal(stream) && (no_colour == nullptr || *no_colour == '\0');
}

size_t columns_of(std::FILE* stream) {
  struct winsize size {};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace lockstep::cli
