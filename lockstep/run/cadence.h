// At which steps a run stops to evaluate, to write a checkpoint, or to let the host look: functions of the
// step.
#pragma once

#include <cstdint>

namespace lockstep {

/// Steps are finished ones: 0 before the first.
struct Cadence {
  int64_t end = 1;             ///< last step
  int64_t steps_per_call = 1;  ///< most steps of one call
  double evaluate_every =
      0;  ///< steps, a fraction allowed (the k-th is at round(k * it)); 0: only at the end
  int64_t checkpoint_every = 0;  ///< steps; 0: at each evaluation

  bool evaluates_at(int64_t step) const;
  bool checkpoints_at(int64_t step) const;
  /// Where a call that begins at `step` < end has to stop.
  int64_t next_stop(int64_t step) const;
};

}  // namespace lockstep
