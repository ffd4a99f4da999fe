// metrics.jsonl: one JSON object a line, one line a step and one an evaluation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lockstep/run/events.h"

namespace lockstep {

/// Where a file goes on: lines of later steps are cut away, so that each step stands there once.
struct MetricsStart {
  int64_t step = 0;             ///< last step that counts
  int64_t evaluated_step = -1;  ///< last evaluation that counts
};

class MetricsFile {
 public:
  /// Cuts away lines beyond `start` and a last line that was not finished, then appends. Throws a user or
  /// system error naming the file.
  MetricsFile(const std::filesystem::path& path, const MetricsStart& start);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  /// Lines are kept until `flush` hands them to the system in one piece.
  void add(const StepEvent& event);
  void add(const EvalEvent& event);
  void flush();
  /// Flushes and waits until the disk has it: a checkpoint must not be ahead of its metrics.
  void sync();

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_;
  int file_ = -1;
  std::string pending_;
};

/// The lines of `text` that stay.
std::string trimmed_metrics(const std::string& text, const MetricsStart& start);

}  // namespace lockstep
