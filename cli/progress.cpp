#include "cli/progress.h"

#include <fmt/format.h>

#include "cli/inspect.h"
#include "cli/report.h"
#include "lockstep/base/threads.h"

namespace lockstep::cli {
namespace {

constexpr double live_seconds = 0.2, plain_seconds = 5;  ///< between two lines

std::string threads_text(const TargetSettings& target) {
  if (target.name == "ref") return "";
  int64_t threads = target.threads > 0 ? target.threads : usable_threads();
  return fmt::format(", {} thread{}", threads, threads == 1 ? "" : "s");
}

/// At once, for who reads a pipe or a log; a reader who has gone must not end the training.
void put(std::FILE* out, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

}  // namespace

Progress::Progress(std::FILE* out, bool quiet, const Settings& settings)
    : out_(out),
      quiet_(quiet),
      live_(!quiet && is_terminal(out)),
      colour_(takes_colour(out)),
      settings_(settings) {}

void Progress::on_start(const StartEvent& e) {
  host_bytes_ = e.host_bytes;
  last_step_ = e.last_step;
  if (quiet_) return;
  int64_t planned = planned_bytes(e.memory, e.host_bytes);
  print(fmt::format("model     {}, {} parameters", settings_.model_name, grouped(parameters_)));
  print(fmt::format("bundle    {}", e.bundle_hash.substr(0, 12)));
  print(fmt::format("target    {}{}", e.target, threads_text(settings_.target)));
  print(fmt::format("memory    {} planned, fullest at {}", bytes_text(planned),
                    e.memory.peak_op.empty() ? "the start" : e.memory.peak_op));
  print(fmt::format("data      {} images for training, {} for testing, in {}", grouped(e.train_samples),
                    grouped(e.test_samples), settings_.data.folder));
  print(fmt::format("training  {} steps of {} images, {} an epoch{}", grouped(e.total_steps), e.batch,
                    e.steps_per_epoch,
                    e.first_step > 0 ? fmt::format("; {} are done", grouped(e.first_step)) : ""));
  print(fmt::format("run       {}", e.run_folder.string()));
  since_line_.restart();
}

void Progress::on_step(const StepEvent& e) {
  if (quiet_) return;
  loss_sum_ += e.loss;
  accuracy_sum_ += e.accuracy;
  ++steps_;
  double wait = live_ ? live_seconds : plain_seconds;
  if (any_line_ && since_line_.seconds() < wait && e.step < last_step_) return;
  show_line(e);
}

void Progress::show_line(const StepEvent& e) {
  auto n = static_cast<double>(steps_);
  auto line = fmt::format("step {}/{}  epoch {:.2f}  loss {:.4f}  accuracy {:.1f} %  {} images/s  {} left",
                          e.step, last_step_, e.epoch, loss_sum_ / n, 100 * accuracy_sum_ / n,
                          grouped(static_cast<int64_t>(e.samples_per_second)), duration_text(e.seconds_left));
  if (live_)
    show_live(line);
  else
    print(line);
  loss_sum_ = accuracy_sum_ = 0;
  steps_ = 0;
  any_line_ = true;
  since_line_.restart();
}

void Progress::on_evaluation_start(const EvalStartEvent&) {
  if (live_) show_live("evaluating");
}

void Progress::on_evaluation(const EvalEvent& e) {
  evaluated_ = true;
  if (quiet_) return;
  print(bold(fmt::format("epoch {:.2f}  test accuracy {:.2f} %", e.epoch, 100 * e.accuracy)) +
        fmt::format("  (top 5: {:.2f} %)  loss {:.4f}  {} images in {}", 100 * e.accuracy5, e.loss,
                    grouped(e.samples), duration_text(e.seconds)));
  since_line_.restart();
}

void Progress::on_message(const MessageEvent& e) {
  bool warns = e.level == MessageEvent::Level::warn;
  if (!warns) {
    if (!quiet_) print(e.text);
    return;
  }
  clear();
  put(stderr, fmt::format("lockstep: warning: {}\n", e.text));
}

void Progress::clear() {
  if (!line_shown_) return;
  put(out_, "\r\x1b[K");
  line_shown_ = false;
}

/// A line longer than the terminal would wrap, and \r would no longer take it back.
void Progress::show_live(const std::string& line) {
  put(out_, fmt::format("\r{}\x1b[K", line.substr(0, columns_of(out_) - 1)));
  line_shown_ = true;
}

void Progress::print(const std::string& line) {
  clear();
  put(out_, line + "\n");
}

std::string Progress::bold(const std::string& text) const {
  return colour_ ? "\x1b[1m" + text + "\x1b[0m" : text;
}

}  // namespace lockstep::cli
