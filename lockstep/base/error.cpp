#include "lockstep/base/error.h"

#include <cstring>
#include <utility>

namespace lockstep {

Error::Error(ErrorKind k, std::string problem_text) : kind(k), problem(std::move(problem_text)) { compose(); }

Error& Error::at(std::string place) & {
  where = where.empty() ? std::move(place) : std::move(place) + ": " + where;
  compose();
  return *this;
}

Error& Error::but(std::string got_text, std::string want_text) & {
  got = std::move(got_text);
  want = std::move(want_text);
  compose();
  return *this;
}

Error& Error::advise(std::string text) & {
  hint = std::move(text);
  compose();
  return *this;
}

int Error::exit_code() const {
  switch (kind) {
    case ErrorKind::user:
      return exit_code::user;
    case ErrorKind::system:
      return exit_code::system;
    case ErrorKind::data:
      return exit_code::data;
    case ErrorKind::bug:
      break;
  }
  return exit_code::bug;
}

void Error::compose() {
  message_ = kind == ErrorKind::bug ? "bug in lockstep: " + problem : problem;
  if (!where.empty()) message_ += "\n  where: " + where;
  if (!got.empty()) message_ += "\n  got:   " + got;
  if (!want.empty()) message_ += "\n  want:  " + want;
  if (rank >= 0) message_ += "\n  rank:  " + std::to_string(rank);
  if (!hint.empty()) message_ += "\n  do:    " + hint;
}

Error user_error(std::string problem) { return {ErrorKind::user, std::move(problem)}; }
Error system_error(std::string problem, int errno_value) {
  if (errno_value != 0) problem += std::string(": ") + std::strerror(errno_value);
  return {ErrorKind::system, std::move(problem)};
}
Error data_error(std::string problem) { return {ErrorKind::data, std::move(problem)}; }
Error bug(std::string problem) { return {ErrorKind::bug, std::move(problem)}; }

}  // namespace lockstep
