// The loop around the program "train". Between calls the host reads outputs and writes a metrics line;
// evaluations and checkpoints come where the cadence says.
#pragma once

#include <cstdint>
#include <functional>

#include "lockstep/run/cadence.h"
#include "lockstep/run/checkpoint.h"
#include "lockstep/run/evaluation.h"
#include "lockstep/run/metrics.h"
#include "lockstep/run/run_folder.h"
#include "lockstep/run/snapshot.h"

namespace lockstep {

struct LoopSettings {
  Cadence cadence;
  double epoch_steps = 1;      ///< steps in an epoch
  double until = 0;            ///< test accuracy at which it ends; 0: none
  int64_t keep = 2;            ///< checkpoints
  std::function<bool()> stop;  ///< asked between calls; once true it stays true
};

struct LoopResult {
  int64_t steps = 0;       ///< finished, those before a resume included
  int64_t steps_here = 0;  ///< of them by this loop
  double accuracy = 0;     ///< of the last evaluation
  bool target_reached = false;
  bool preempted = false;   ///< stopped on request; a checkpoint holds everything
  double seconds = 0;       ///< from the first step to the end
  double call_seconds = 0;  ///< of these in calls of the program
};

class TrainingLoop {
 public:
  /// `at` says where the executable's variables stand; all references outlive the loop.
  TrainingLoop(Executable& executable, Feed& feed, Evaluation& evaluation, const RunFolder& folder,
               MetricsFile& metrics, Listener& listener, LoopSettings settings, CheckpointInfo at);

  /// Until the last step, the accuracy asked for, or a request to stop. Throws what the data threw, a user
  /// error naming step and op when a loss or gradient is not finite, a system error when the disk is full.
  LoopResult run();

 private:
  void call(int64_t count);
  void report(int64_t count, double seconds, double waited);
  StepEvent step_event(int64_t iteration) const;
  [[noreturn]] void fail_not_finite(int64_t iteration);
  void evaluate();
  void save();
  bool evaluation_due() const;
  bool target_reached() const;
  bool finished() const;
  bool stopping() const { return settings_.stop && settings_.stop(); }
  double epoch_at(int64_t step) const { return static_cast<double>(step) / settings_.epoch_steps; }

  Executable& executable_;
  Feed& feed_;
  Evaluation& evaluation_;
  const RunFolder& folder_;
  MetricsFile& metrics_;
  Listener& listener_;
  LoopSettings settings_;
  CheckpointInfo at_;
  Snapshot snapshot_;
  int program_;
  int loss_, correct_, samples_, rate_, finite_;  // outputs
  int64_t first_step_;
  int64_t saved_step_ = -1, saved_evaluation_ = -1;
  double call_seconds_ = 0;
};

}  // namespace lockstep
