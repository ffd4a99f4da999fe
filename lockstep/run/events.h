// What a run tells: whoever prints, draws or logs it derives from Listener.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/targets/target.h"

namespace lockstep {

/// Before the first step, once everything is in memory.
struct StartEvent {
  std::filesystem::path run_folder;
  std::string bundle_hash, target;
  int64_t first_step = 0;  ///< finished before: 0, or the step of the checkpoint
  int64_t last_step = 0;   ///< the run ends there at the latest
  int64_t total_steps = 0, steps_per_epoch = 0, batch = 0;
  int64_t train_samples = 0, test_samples = 0;
  MemoryPlan memory;
  int64_t host_bytes = 0;  ///< both rings, and the data sets held in memory
};

/// One finished step. Steps are counted from 1 here: `step` of them are finished.
struct StepEvent {
  int64_t step = 0;
  double epoch = 0;               ///< passes over the training data, this step included
  double loss = 0;                ///< mean over the batch
  double accuracy = 0;            ///< share of the batch, 0 to 1
  double rate = 0;                ///< learning rate
  double samples_per_second = 0;  ///< of the call the step belongs to
  double seconds_left = 0;        ///< to the last step, evaluations not counted
  double wait_seconds = 0;        ///< of the call: the step waited for data
};

struct EvalStartEvent {
  int64_t step = 0;
  double epoch = 0;
};

struct EvalEvent {
  int64_t step = 0;
  double epoch = 0;
  double loss = 0, accuracy = 0, accuracy5 = 0;  ///< over all test samples; shares are 0 to 1
  int64_t samples = 0;
  double seconds = 0;
};

struct CheckpointEvent {
  int64_t step = 0;
  std::filesystem::path path;
  int64_t bytes = 0;
  double seconds = 0;
};

struct MessageEvent {
  enum class Level { info, warn } level = Level::info;
  std::string text;  ///< one line
};

/// Called on the host thread, between calls of the program. What a handler throws ends the run.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on_start(const StartEvent&) {}
  virtual void on_step(const StepEvent&) {}
  virtual void on_evaluation_start(const EvalStartEvent&) {}
  virtual void on_evaluation(const EvalEvent&) {}
  virtual void on_checkpoint(const CheckpointEvent&) {}
  virtual void on_message(const MessageEvent&) {}
};

/// Hands everything on to all of a list, in its order; they outlive it.
class Listeners final : public Listener {
 public:
  explicit Listeners(std::vector<Listener*> list) : list_(std::move(list)) {}
  void on_start(const StartEvent& e) override {
    for (auto* l : list_) l->on_start(e);
  }
  void on_step(const StepEvent& e) override {
    for (auto* l : list_) l->on_step(e);
  }
  void on_evaluation_start(const EvalStartEvent& e) override {
    for (auto* l : list_) l->on_evaluation_start(e);
  }
  void on_evaluation(const EvalEvent& e) override {
    for (auto* l : list_) l->on_evaluation(e);
  }
  void on_checkpoint(const CheckpointEvent& e) override {
    for (auto* l : list_) l->on_checkpoint(e);
  }
  void on_message(const MessageEvent& e) override {
    for (auto* l : list_) l->on_message(e);
  }

 private:
  std::vector<Listener*> list_;
};

}  // namespace lockstep
