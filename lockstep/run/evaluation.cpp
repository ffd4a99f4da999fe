#include "lockstep/run/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lockstep/base/clock.h"
#include "lockstep/base/error.h"

namespace lockstep {

int64_t steps_per_call_of(const Program& program) {
  LS_CHECK(!program.outputs.empty(), "a program without outputs");
  return program.outputs[0].slots;
}

int output_of(const Program& program, std::string_view name) {
  int port = program.find_output(name);
  LS_CHECK(port >= 0, fmt::format("program {} has no output {}", program.name, name));
  return port;
}

float scalar_output(const Executable& executable, int program, int port, int64_t iteration) {
  float value;
  std::memcpy(&value, executable.output(program, port, iteration), sizeof value);
  return value;
}

void fail_call(const RunResult& result, const std::string& where) {
  if (!result.fault.empty()) throw system_error("a step failed: " + result.fault).at(where);
  throw bug(result.stream_closed ? "the streams ended too early" : "the program stopped by itself").at(where);
}

Evaluation::Evaluation(Executable& executable, std::shared_ptr<const Dataset> test, const BatchPlan& plan,
                       int workers)
    : executable_(executable),
      program_(executable.bundle().find_program("eval")),
      feed_(executable.bundle().program("eval"), std::move(test), plan, std::nullopt, workers) {
  const auto& program = executable.bundle().program("eval");
  loss_ = output_of(program, "loss_sum");
  correct_ = output_of(program, "correct");
  correct5_ = output_of(program, "correct5");
  samples_port_ = output_of(program, "samples");
  steps_per_call_ = steps_per_call_of(program);
  executable.connect(program_, &feed_);
}

double Evaluation::output(int port, int64_t iteration) const {
  return scalar_output(executable_, program_, port, iteration);
}

void Evaluation::add_outputs(int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i) {
    loss_sum_ += output(loss_, i);
    correct_sum_ += output(correct_, i);
    correct5_sum_ += output(correct5_, i);
    sample_sum_ += output(samples_port_, i);
  }
}

std::optional<EvalResult> Evaluation::run(const std::function<bool()>& stop) {
  Stopwatch watch;
  loss_sum_ = correct_sum_ = correct5_sum_ = sample_sum_ = 0;
  int64_t batches = feed_.plan().batches_per_epoch();
  feed_.start(0, batches);
  for (int64_t b = 0; b < batches; b += steps_per_call_) {
    if (stop && stop()) {
      feed_.stop();
      return std::nullopt;
    }
    int64_t count = std::min(steps_per_call_, batches - b);
    RunResult result = executable_.run(program_, b, count);
    if (!result.ok || result.steps_done != count) {
      feed_.rethrow();
      fail_call(result, fmt::format("evaluation, batch {} of {}", b + result.steps_done + 1, batches));
    }
    add_outputs(b, count);
  }
  feed_.stop();
  auto samples = static_cast<int64_t>(sample_sum_);
  LS_CHECK(samples == feed_.plan().size, "an evaluation that does not count every sample once");
  return EvalResult{samples, loss_sum_ / sample_sum_, correct_sum_ / sample_sum_, correct5_sum_ / sample_sum_,
                    watch.seconds()};
}

}  // namespace lockstep
