// One error type for the whole system; see design notes in ARCHITECTURE.md ("Errors").
#pragma once

#include <exception>
#include <string>

namespace lockstep {

/// Who has to act: the user (2), the system (3), whoever owns the data (4), or we (70).
enum class ErrorKind { user, system, data, bug };

/// Thrown while compiling, loading and between calls; never from inside a step.
/// A message reads: what is wrong, where, got / want, what to do.
class Error : public std::exception {
 public:
  ErrorKind kind = ErrorKind::user;
  std::string problem;  ///< what is wrong, in one clause
  std::string where;    ///< the user's own thing: file, key, layer, record and byte offset
  std::string got, want;
  std::string hint;  ///< what to do
  int rank = -1;     ///< rank that met the fault; -1 when there is only one

  Error(ErrorKind k, std::string problem_text);

  Error& at(std::string place) &;
  Error& but(std::string got_text, std::string want_text) &;
  Error& advise(std::string text) &;
  Error&& at(std::string place) && { return std::move(at(std::move(place))); }
  Error&& but(std::string g, std::string w) && { return std::move(but(std::move(g), std::move(w))); }
  Error&& advise(std::string text) && { return std::move(advise(std::move(text))); }

  const char* what() const noexcept override { return message_.c_str(); }
  /// 2 user, 3 system, 4 data, 70 bug.
  int exit_code() const;

 private:
  void compose();
  std::string message_;
};

Error user_error(std::string problem);
Error system_error(std::string problem, int errno_value = 0);
Error data_error(std::string problem);
Error bug(std::string problem);

namespace exit_code {
inline constexpr int done = 0, user = 2, system = 3, data = 4, target_not_reached = 5, bug = 70,
                     preempted = 75;
}

/// Checks an invariant of ours; a failure is a bug, never the user's fault.
#define LS_CHECK(condition, text)                                      \
  do {                                                                 \
    if (!(condition))                                                  \
      throw ::lockstep::bug(std::string(text) + " [" #condition "]")   \
          .at(std::string(__FILE__) + ":" + std::to_string(__LINE__)); \
  } while (false)

}  // namespace lockstep
