// The program "eval" over the whole test data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/run/feed.h"

namespace lockstep {

struct EvalResult {
  int64_t samples = 0;                 ///< all of the test data, each once
  double loss = 0;                     ///< mean
  double accuracy = 0, accuracy5 = 0;  ///< shares, 0 to 1
  double seconds = 0;
};

class Evaluation {
 public:
  /// Connects its own feed to the program "eval"; executable and data outlive it.
  Evaluation(Executable& executable, std::shared_ptr<const Dataset> test, const BatchPlan& plan, int workers);

  /// Over all samples, in double, in the order of the data; nothing when `stop` said so between two calls.
  /// Throws what the data threw.
  std::optional<EvalResult> run(const std::function<bool()>& stop = nullptr);
  int64_t ring_bytes() { return feed_.bytes(); }

 private:
  void add_outputs(int64_t first, int64_t count);
  double output(int port, int64_t iteration) const;

  Executable& executable_;
  int program_;
  Feed feed_;
  int loss_, correct_, correct5_, samples_port_;
  int64_t steps_per_call_;
  double loss_sum_ = 0, correct_sum_ = 0, correct5_sum_ = 0, sample_sum_ = 0;
};

/// Steps of one call of a program: the slots of its outputs.
int64_t steps_per_call_of(const Program& program);
/// Index of an output; a bug when there is none.
int output_of(const Program& program, std::string_view name);
/// Throws what a call that did not finish means; where the streams ended, ask them first.
[[noreturn]] void fail_call(const RunResult& result, const std::string& where);
/// A scalar f32 output of one iteration.
float scalar_output(const Executable& executable, int program, int port, int64_t iteration);

}  // namespace lockstep
