#include "lockstep/run/cadence.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

std::vector<int64_t> stops(const Cadence& cadence, int64_t from = 0) {
  std::vector<int64_t> out;
  for (int64_t step = from; step < cadence.end;) out.push_back(step = cadence.next_stop(step));
  return out;
}

std::vector<int64_t> evaluations(const Cadence& cadence) {
  std::vector<int64_t> out;
  for (int64_t step = 0; step <= cadence.end; ++step)
    if (cadence.evaluates_at(step)) out.push_back(step);
  return out;
}

TEST(RunCadence, CallsAreCutAtEvaluationsCheckpointsAndTheEnd) {
  Cadence cadence{.end = 15, .steps_per_call = 4, .evaluate_every = 5, .checkpoint_every = 7};
  EXPECT_EQ(stops(cadence), (std::vector<int64_t>{4, 5, 7, 10, 14, 15}));
  EXPECT_EQ(stops(cadence, 6), (std::vector<int64_t>{7, 10, 14, 15}));
  EXPECT_EQ(evaluations(cadence), (std::vector<int64_t>{5, 10, 15}));
  EXPECT_TRUE(cadence.checkpoints_at(7));
  EXPECT_FALSE(cadence.checkpoints_at(5));
  EXPECT_FALSE(cadence.checkpoints_at(0));
  EXPECT_TRUE(cadence.checkpoints_at(15));
}

TEST(RunCadence, WithoutStepsOfItsOwnACheckpointFollowsEachEvaluation) {
  Cadence cadence{.end = 12, .steps_per_call = 100, .evaluate_every = 5, .checkpoint_every = 0};
  EXPECT_EQ(stops(cadence), (std::vector<int64_t>{5, 10, 12}));
  for (int64_t step = 0; step <= 12; ++step)
    EXPECT_EQ(cadence.checkpoints_at(step), cadence.evaluates_at(step));
}

TEST(RunCadence, FractionsOfAnEpochAreRounded) {
  EXPECT_EQ(evaluations({.end = 10, .steps_per_call = 1, .evaluate_every = 2.5, .checkpoint_every = 0}),
            (std::vector<int64_t>{3, 5, 8, 10}));
  EXPECT_EQ(evaluations({.end = 3, .steps_per_call = 1, .evaluate_every = 0.25, .checkpoint_every = 0}),
            (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(evaluations({.end = 3, .steps_per_call = 1, .evaluate_every = 0, .checkpoint_every = 0}),
            (std::vector<int64_t>{3}));
}

TEST(RunCadence, EveryStopMakesProgress) {
  for (double every : {0.0, 0.3, 1.0, 1.5, 7.0 / 3, 100.0})
    for (int64_t checkpoints : {0, 1, 3}) {
      Cadence cadence{
          .end = 40, .steps_per_call = 6, .evaluate_every = every, .checkpoint_every = checkpoints};
      for (int64_t step = 0; step < cadence.end; ++step) {
        int64_t stop = cadence.next_stop(step);
        ASSERT_GT(stop, step);
        ASSERT_LE(stop - step, cadence.steps_per_call);
        for (int64_t between = step + 1; between < stop; ++between)
          ASSERT_FALSE(cadence.evaluates_at(between) || cadence.checkpoints_at(between))
              << every << " " << between;
      }
    }
}

}  // namespace
}  // namespace lockstep
