// The contract of a target: it lowers a bundle and runs its programs. Nothing outside targets/ knows what a
// device is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/program/bundle.h"

namespace lockstep {

/// What a program reads its streams from: a ring of slots, batch b in slot b mod slots. The calls come from
/// the target's threads, inside a step: they may wait, and do nothing else.
class StreamSource {
 public:
  virtual ~StreamSource() = default;
  virtual std::byte* base(int stream) = 0;           ///< slot 0 of the program's stream number `stream`
  virtual int64_t slot_bytes(int stream) const = 0;  ///< distance of slots
  /// Blocks until batch `b` is there; false: it will never come (closed, or its maker failed).
  virtual bool wait_full(int64_t b) noexcept = 0;
  /// Batch `b` has been read for the last time.
  virtual void release(int64_t b) noexcept = 0;
};

/// One line of a memory report.
struct MemoryLine {
  std::string name;
  int64_t bytes = 0;
  std::string note;
};

struct MemoryPlan {
  int64_t arena_bytes = 0;     ///< values and scratch of the largest program; allocated exactly
  int64_t variable_bytes = 0;  ///< weights, optimizer state, statistics, counters; allocated exactly
  int64_t table_bytes = 0;
  int64_t output_bytes = 0;
  int64_t code_bytes = 0;           ///< the executable's own arrays and what kernels keep
  std::string peak_op;              ///< the step at which the arena is fullest, with its layer
  int64_t peak_live_bytes = 0;      ///< live there; the arena may be larger by fragmentation
  std::vector<MemoryLine> largest;  ///< the largest live buffers at the peak
};

/// How a call of n steps ended.
struct RunResult {
  bool ok = true;
  int64_t steps_done = 0;      ///< whole iterations
  bool stream_closed = false;  ///< a stream ended: ask its owner why
  std::string fault;           ///< the first fault inside a step, naming op and layer; "" when there was none
};

/// What was chosen for one step or group of a program.
struct Choice {
  std::string program, layer, ops, kernel;
  std::vector<std::pair<std::string, std::string>> refused;  ///< better kernels and why they do not fit
  double flops = 0, bytes = 0;
};

class Executable {
 public:
  virtual ~Executable() = default;
  virtual const Bundle& bundle() const = 0;
  virtual const MemoryPlan& memory() const = 0;
  virtual std::vector<Choice> choices() const = 0;
  virtual std::string plan_text() const = 0;

  /// Logical row-major bytes of a variable, whatever its layout inside. Not during a call.
  virtual void read_variable(int variable, void* bytes) const = 0;
  virtual void write_variable(int variable, const void* bytes) = 0;

  /// Streams of a program come from `source` from now on; it outlives the executable's calls.
  virtual void connect(int program, StreamSource* source) = 0;
  /// Runs `count` iterations whose numbers start at `first` (streams: batch numbers; outputs: slots, modulo).
  /// Allocates nothing, looks nothing up.
  virtual RunResult run(int program, int64_t first, int64_t count) noexcept = 0;
  /// Bytes of an output's slot after a call.
  virtual const std::byte* output(int program, int port, int64_t iteration) const = 0;

  /// A call ends after the iteration in which this pred[] output is false; port -1: never.
  virtual void stop_on(int program, int port) = 0;

  /// Runs one iteration again, op by op, and names the first op whose result is not finite ("" when all are).
  /// For the message about a non-finite loss: variables are as they were, because such a step changes none
  /// (after a call ended by stop_on). The connected source must still, or again, hold that iteration's batch.
  virtual std::string find_non_finite(int program, int64_t iteration) = 0;
};

struct TargetOptions {
  int threads = 0;                 ///< 0: as many as affinity, cgroup quota and OMP_NUM_THREADS allow
  bool in_double = false;          ///< ref only: floats keep double precision
  std::vector<std::string> force;  ///< kernels by name that are taken wherever they fit at all
  std::vector<std::string> avoid;  ///< kernels never taken
};

struct TargetInfo {
  std::string_view name, help;
  std::unique_ptr<Executable> (*lower)(Bundle bundle, const TargetOptions& options);
};

/// The list of targets.
const std::vector<TargetInfo>& all_targets();
/// Throws with did-you-mean.
const TargetInfo& target_named(std::string_view name);

}  // namespace lockstep
