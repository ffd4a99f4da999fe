#include "lockstep/run/training_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lockstep/base/clock.h"
#include "lockstep/base/error.h"
#include "lockstep/run/resume.h"

namespace lockstep {

TrainingLoop::TrainingLoop(Executable& executable, Feed& feed, Evaluation& evaluation,
                           const RunFolder& folder, MetricsFile& metrics, Listener& listener,
                           LoopSettings settings, CheckpointInfo at)
    : executable_(executable),
      feed_(feed),
      evaluation_(evaluation),
      folder_(folder),
      metrics_(metrics),
      listener_(listener),
      settings_(std::move(settings)),
      at_(std::move(at)),
      snapshot_(executable.bundle()),
      program_(executable.bundle().find_program("train")),
      first_step_(at_.step) {
  const auto& program = executable.bundle().program("train");
  loss_ = output_of(program, "loss");
  correct_ = output_of(program, "correct");
  samples_ = output_of(program, "samples");
  rate_ = output_of(program, "rate");
  finite_ = output_of(program, "finite");
  // A call ends there, so that the variables are still those the step met.
  executable.stop_on(program_, finite_);
}

bool TrainingLoop::evaluation_due() const {
  return at_.evaluated_step != at_.step && settings_.cadence.evaluates_at(at_.step);
}

bool TrainingLoop::target_reached() const {
  return settings_.until > 0 && at_.evaluated_step == at_.step && at_.accuracy >= settings_.until;
}

bool TrainingLoop::finished() const {
  return target_reached() || (at_.step >= settings_.cadence.end && at_.evaluated_step == at_.step);
}

LoopResult TrainingLoop::run() {
  Stopwatch watch;
  feed_.start(at_.step, std::max(at_.step, settings_.cadence.end));
  for (;;) {
    if (evaluation_due()) evaluate();  // which a request to stop cuts short
    bool over = finished(), stop = stopping();
    if (over || stop || settings_.cadence.checkpoints_at(at_.step)) save();
    if (over || stop) break;
    call(settings_.cadence.next_stop(at_.step) - at_.step);
  }
  feed_.stop();
  metrics_.sync();
  return {.steps = at_.step,
          .steps_here = at_.step - first_step_,
          .accuracy = at_.accuracy,
          .target_reached = settings_.until <= 0 ? finished() : target_reached(),
          .preempted = !finished(),
          .seconds = watch.seconds(),
          .call_seconds = call_seconds_};
}

void TrainingLoop::call(int64_t count) {
  double waited = feed_.waited_seconds();
  Stopwatch watch;
  RunResult result = executable_.run(program_, at_.step, count);
  double seconds = watch.seconds();
  call_seconds_ += seconds;
  int64_t done = result.fault.empty() ? result.steps_done : std::max<int64_t>(0, result.steps_done - 1);
  report(done, seconds, feed_.waited_seconds() - waited);
  at_.step += done;
  if (result.ok && done == count) return;
  feed_.rethrow();
  fail_call(result, fmt::format("step {}", at_.step + 1));
}

StepEvent TrainingLoop::step_event(int64_t iteration) const {
  auto output = [&](int port) {
    return static_cast<double>(scalar_output(executable_, program_, port, iteration));
  };
  StepEvent event;
  event.step = iteration + 1;
  event.epoch = epoch_at(event.step);
  event.loss = output(loss_);
  event.accuracy = output(correct_) / output(samples_);
  event.rate = output(rate_);
  return event;
}

void TrainingLoop::report(int64_t count, double seconds, double waited) {
  if (count == 0) return;
  int64_t first = at_.step, done = first + count;
  double samples_per_second = static_cast<double>(count * feed_.plan().batch) / seconds;
  double per_step = call_seconds_ / static_cast<double>(done - first_step_);
  for (int64_t i = first; i < done; ++i) {
    if (*executable_.output(program_, finite_, i) == std::byte{0}) fail_not_finite(i);
    StepEvent event = step_event(i);
    event.samples_per_second = samples_per_second;
    event.seconds_left = per_step * static_cast<double>(settings_.cadence.end - event.step);
    event.wait_seconds = waited;
    metrics_.add(event);
    listener_.on_step(event);
  }
  metrics_.flush();
}

/// Such a step changed no variable, so it can be looked at again.
void TrainingLoop::fail_not_finite(int64_t iteration) {
  metrics_.flush();
  StepEvent event = step_event(iteration);
  feed_.start(iteration, iteration + 1);  // its batch has left the ring
  std::string op;
  if (feed_.wait_full(iteration)) op = executable_.find_non_finite(program_, iteration);
  feed_.stop();
  throw user_error(std::isfinite(event.loss) ? "a gradient is not finite" : "the loss is not finite")
      .at(op.empty() ? fmt::format("step {}", event.step)
                     : fmt::format("step {}, first in {}", event.step, op))
      .but(fmt::format("loss {} at rate {}", number_text(event.loss), number_text(event.rate)),
           "finite numbers")
      .advise(
          "lower the learning rate, warm it up for longer, or look at the data; the last checkpoint is kept");
}

void TrainingLoop::evaluate() {
  metrics_.flush();
  listener_.on_evaluation_start({at_.step, epoch_at(at_.step)});
  auto result = evaluation_.run([this] { return stopping(); });
  if (!result) return;
  at_.evaluated_step = at_.step;
  at_.accuracy = result->accuracy;
  EvalEvent event{at_.step,          epoch_at(at_.step), result->loss,   result->accuracy,
                  result->accuracy5, result->samples,    result->seconds};
  metrics_.add(event);
  metrics_.flush();
  listener_.on_evaluation(event);
}

void TrainingLoop::save() {
  if (saved_step_ == at_.step && saved_evaluation_ == at_.evaluated_step) return;
  Stopwatch watch;
  metrics_.sync();
  auto path = checkpoint_path(folder_.path(), at_.step);
  int64_t bytes = write_checkpoint(path, executable_, snapshot_, at_);
  saved_step_ = at_.step;
  saved_evaluation_ = at_.evaluated_step;
  prune_checkpoints(folder_.path(), settings_.keep, path);
  listener_.on_checkpoint({at_.step, path, bytes, watch.seconds()});
}

}  // namespace lockstep
