#include "lockstep/run/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "lockstep/base/error.h"

namespace lockstep {
namespace {

TEST(RunSignals, EachAsksToStop) {
  for (int number : {SIGINT, SIGTERM, SIGUSR1}) {
    StopSignals signals;
    EXPECT_FALSE(signals.requested());
    ::raise(number);
    EXPECT_TRUE(signals.requested());
    EXPECT_EQ(signals.signal(), number);
    ::raise(SIGTERM);  // schedulers repeat themselves
    EXPECT_EQ(signals.signal(), number);
  }
}

TEST(RunSignals, AClosedPipeOrTerminalIsNothing) {
  StopSignals signals;
  ::raise(SIGPIPE);
  ::raise(SIGHUP);
  EXPECT_FALSE(signals.requested());
}

TEST(RunSignals, OldHandlersComeBack) {
  static volatile int seen = 0;
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { seen = seen + 1; };
  ::sigaction(SIGUSR1, &action, &before);
  {
    StopSignals signals;
    ::raise(SIGUSR1);
    EXPECT_EQ(seen, 0);
  }
  ::raise(SIGUSR1);
  EXPECT_EQ(seen, 1);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST(RunSignals, OneAtATime) {
  StopSignals signals;
  EXPECT_THROW(StopSignals(), Error);
}

TEST(RunSignalsDeathTest, ASecondInterruptActsAtOnce) {
  EXPECT_EXIT(
      {
        StopSignals signals;
        ::raise(SIGTERM);
        ::raise(SIGINT);
        _exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace lockstep
