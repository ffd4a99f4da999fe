#include "lockstep/run/signals.h"

#include <atomic>

#include "lockstep/base/error.h"

namespace lockstep {
namespace {

// A handler knows nothing but globals; a lock-free atomic is all that it may touch.
std::atomic<int> first_signal{0};
std::atomic<bool> in_use{false};
static_assert(std::atomic<int>::is_always_lock_free);

void note_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number) || number != SIGINT) return;
  ::signal(SIGINT, SIG_DFL);
  ::raise(SIGINT);  // is delivered when this handler returns
}

}  // namespace

StopSignals::StopSignals() {
  LS_CHECK(!in_use.exchange(true), "two runs of one process catch signals");
  first_signal.store(0);
  for (size_t i = 0; i < caught.size(); ++i) {
    struct sigaction action {};
    bool ignored = caught[i] == SIGPIPE || caught[i] == SIGHUP;
    action.sa_handler = ignored ? SIG_IGN : note_signal;
    action.sa_flags = SA_RESTART;  // system calls of other threads go on
    sigemptyset(&action.sa_mask);
    ::sigaction(caught[i], &action, &before_[i]);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < caught.size(); ++i) ::sigaction(caught[i], &before_[i], nullptr);
  in_use.store(false);
}

int StopSignals::signal() const { return first_signal.load(); }

}  // namespace lockstep
