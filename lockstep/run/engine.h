// Trains and evaluates: settings in, a run folder and a result out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/config/settings.h"
#include "lockstep/run/evaluation.h"
#include "lockstep/run/events.h"

namespace lockstep {

/// Makes an executable out of a bundle.
using Lower = std::function<std::unique_ptr<Executable>(Bundle)>;

struct TrainOptions {
  std::filesystem::path
      out;  ///< run folder; empty: that of `resume` when it is a path, else a new one in runs/
  std::string name = "run";     ///< for the new one's name
  std::string resume = "auto";  ///< auto | none | a checkpoint or run folder: see find_checkpoint
  int64_t max_steps = 0;      ///< stop after so many steps in all; the schedule keeps its length; 0: no limit
  bool catch_signals = true;  ///< SIGINT, SIGTERM and SIGUSR1 ask to stop: see StopSignals
  std::function<bool()> stop;  ///< the caller's own request to stop; once true it stays true
  Lower lower;                 ///< in place of the target the settings name
};

struct TrainResult {
  std::string metric = "test_accuracy";
  double value = 0;             ///< of the last evaluation
  bool target_reached = false;  ///< evaluate.until was reached; without one: the training is finished
  bool preempted = false;       ///< stopped on request with a checkpoint: run again to go on
  double seconds = 0;  ///< from this process's first step to the end, evaluations and checkpoints included
  int64_t steps = 0;   ///< finished, those before a resume included
  double images_per_second = 0;  ///< of this process's steps, evaluations and checkpoints not counted
  std::filesystem::path run_folder;
  std::string bundle_hash;
  MemoryPlan memory;
  int64_t peak_rss_bytes = 0;  ///< of the process
  int64_t host_bytes = 0;      ///< both rings, and the data sets held in memory
};

/// Trains to the end, the accuracy asked for, or a request to stop; the run folder then holds config.toml,
/// metrics.jsonl, checkpoints and, unless it was preempted, model.safetensors. The bits of the model depend
/// on the settings of the trajectory alone: not on steps per call, threads, evaluations, or where it was
/// killed and resumed. Errors are user errors (settings, folder, checkpoint of another run, a loss that is
/// not finite), data errors, or system errors; an error leaves the last checkpoint in place.
TrainResult train(const Settings& settings, const TrainOptions& options,
                  const std::vector<Listener*>& listeners = {});

/// Evaluates the weights of a checkpoint, a model.safetensors or a run folder (its model.safetensors, else
/// its newest whole checkpoint) on the test data. The training data are not needed.
EvalResult evaluate(const Settings& settings, const std::filesystem::path& weights,
                    const Lower& lower = nullptr);

}  // namespace lockstep
