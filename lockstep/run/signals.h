// Signals that ask a run to stop.
#pragma once

#include <signal.h>

#include <array>

namespace lockstep {

/// While it lives, SIGINT, SIGTERM and SIGUSR1 set a flag and do nothing else; a second SIGINT acts at once,
/// as without us. SIGPIPE and SIGHUP are ignored: a closed pipe or terminal must not end a training. The old
/// handlers come back at the end. One at a time in a process: a second one throws a bug.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool requested() const { return signal() != 0; }
  int signal() const;  ///< the first that came; 0: none

 private:
  static constexpr std::array<int, 5> caught{SIGINT, SIGTERM, SIGUSR1, SIGPIPE, SIGHUP};
  std::array<struct sigaction, 5> before_{};
};

}  // namespace lockstep
