// What a training prints while it runs: one live line on a terminal, else a line every few seconds.
#pragma once

#include <cstdio>
#include <string>

#include "lockstep/base/clock.h"
#include "lockstep/config/settings.h"
#include "lockstep/run/events.h"

namespace lockstep::cli {

class Progress final : public Listener {
 public:
  /// Prints to `out`; only warnings, and those on stderr, when `quiet`.
  Progress(std::FILE* out, bool quiet, const Settings& settings);

  void set_parameters(int64_t count) { parameters_ = count; }  ///< before the start
  int64_t host_bytes() const { return host_bytes_; }
  bool evaluated() const { return evaluated_; }  ///< at least once, by this process

  void on_start(const StartEvent& e) override;
  void on_step(const StepEvent& e) override;
  void on_evaluation_start(const EvalStartEvent& e) override;
  void on_evaluation(const EvalEvent& e) override;
  void on_message(const MessageEvent& e) override;
  /// Takes the live line away.
  void clear();

 private:
  void show_line(const StepEvent& e);
  void show_live(const std::string& line);
  void print(const std::string& line);
  std::string bold(const std::string& text) const;

  std::FILE* out_;
  bool quiet_, live_, colour_;
  const Settings& settings_;
  int64_t parameters_ = 0, host_bytes_ = 0, last_step_ = 0;
  bool evaluated_ = false, line_shown_ = false;
  double loss_sum_ = 0, accuracy_sum_ = 0;  // over the steps since the last line
  int64_t steps_ = 0;
  Stopwatch since_line_;
  bool any_line_ = false;
};

}  // namespace lockstep::cli
