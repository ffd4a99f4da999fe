// Learning-rate schedules: each a record whose `at` gives the rate of a step, a function of the step alone.
//
// `step` counts finished updates, from 0: step 0 is the first update. Past their end the decays stay at their
// last rate. Each may begin with a linear warm-up over `warmup_steps`: from `warmup_start` at step 0 to the
// rate the schedule begins with, reached at step == warmup_steps (torch LinearLR; the MLPerf references warm
// up from 0, so that their first update changes nothing). What follows runs over the steps after it:
//   s = step - warmup_steps, T = total_steps - warmup_steps.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/base/fields.h"

namespace lockstep {

struct ScheduleInfo {
  std::string_view name, help;
};

/// rate
struct ConstantRate {
  double rate = 0.1;
  int64_t warmup_steps = 0;
  double warmup_start = 0;
  static constexpr ScheduleInfo info{"constant", "the same rate at every step"};
  static constexpr auto attrs =
      fields(field("rate", &ConstantRate::rate, "the rate"),
             field("warmup_steps", &ConstantRate::warmup_steps, "steps of linear warm-up"),
             field("warmup_start", &ConstantRate::warmup_start, "rate at which the warm-up begins"));
  double at(int64_t step, int64_t total_steps) const;
};

/// end + (rate - end) * (1 - s / D)^power with D = decay_steps, or T where that is 0; `end` from s = D on.
/// torch PolynomialLR with end = 0 and total_iters = D. The MLPerf TensorFlow 2 reference for LARS has power
/// 2, end 1e-4 and D = T + 1: set decay_steps to follow it exactly.
struct PolynomialDecay {
  double rate = 0.1, end = 0, power = 1;
  int64_t decay_steps = 0, warmup_steps = 0;
  double warmup_start = 0;
  static constexpr ScheduleInfo info{"polynomial", "falls from rate to end along a power of the steps left"};
  static constexpr auto attrs = fields(
      field("rate", &PolynomialDecay::rate, "rate after the warm-up"),
      field("end", &PolynomialDecay::end, "last rate"),
      field("power", &PolynomialDecay::power, "1 is a straight line"),
      field("decay_steps", &PolynomialDecay::decay_steps, "steps from rate to end; 0: all after the warm-up"),
      field("warmup_steps", &PolynomialDecay::warmup_steps, "steps of linear warm-up"),
      field("warmup_start", &PolynomialDecay::warmup_start, "rate at which the warm-up begins"));
  double at(int64_t step, int64_t total_steps) const;
};

/// end + (rate - end) * (1 + cos(pi * s / T)) / 2: `end` would be reached at step total_steps, one after the
/// last. torch CosineAnnealingLR with T_max = T (which, unlike this, rises again after T_max).
struct CosineDecay {
  double rate = 0.1, end = 0;
  int64_t warmup_steps = 0;
  double warmup_start = 0;
  static constexpr ScheduleInfo info{"cosine", "falls from rate to end along half a cosine"};
  static constexpr auto attrs =
      fields(field("rate", &CosineDecay::rate, "rate after the warm-up"),
             field("end", &CosineDecay::end, "last rate"),
             field("warmup_steps", &CosineDecay::warmup_steps, "steps of linear warm-up"),
             field("warmup_start", &CosineDecay::warmup_start, "rate at which the warm-up begins"));
  double at(int64_t step, int64_t total_steps) const;
};

/// torch OneCycleLR with anneal_strategy "cos" and two phases: half a cosine from rate * start_factor up to
/// `rate` at s = warm_share * T - 1 (not rounded), then half a cosine down to rate * end_factor at the last
/// step, s = T - 1. start_factor is 1 / div_factor, end_factor is 1 / (div_factor * final_div_factor). Where
/// the first phase would have no length (warm_share * T <= 1), which torch refuses, it begins at `rate`.
struct OneCycle {
  double rate = 0.1, start_factor = 1.0 / 25, end_factor = 1.0 / (25 * 1e4), warm_share = 0.3;
  int64_t warmup_steps = 0;
  double warmup_start = 0;
  static constexpr ScheduleInfo info{"one_cycle", "rises to rate and falls almost to zero, along cosines"};
  static constexpr auto attrs =
      fields(field("rate", &OneCycle::rate, "highest rate"),
             field("start_factor", &OneCycle::start_factor, "first rate / rate"),
             field("end_factor", &OneCycle::end_factor, "last rate / rate"),
             field("warm_share", &OneCycle::warm_share, "share of the steps on which the rate rises"),
             field("warmup_steps", &OneCycle::warmup_steps, "steps of linear warm-up before the cycle"),
             field("warmup_start", &OneCycle::warmup_start, "rate at which the warm-up begins"));
  double at(int64_t step, int64_t total_steps) const;
};

/// rate * factor^(number of milestones <= step). Milestones are steps counted from the start of training, the
/// warm-up included: the step equal to a milestone is the first with the lower rate (torch MultiStepLR).
struct StepDecay {
  double rate = 0.1;
  std::vector<int64_t> milestones;
  double factor = 0.1;
  int64_t warmup_steps = 0;
  double warmup_start = 0;
  static constexpr ScheduleInfo info{"step", "multiplied by factor at each milestone"};
  static constexpr auto attrs =
      fields(field("rate", &StepDecay::rate, "rate after the warm-up"),
             field("milestones", &StepDecay::milestones, "steps from which on the rate is lower, ascending"),
             field("factor", &StepDecay::factor, "multiplies the rate at each milestone"),
             field("warmup_steps", &StepDecay::warmup_steps, "steps of linear warm-up"),
             field("warmup_start", &StepDecay::warmup_start, "rate at which the warm-up begins"));
  double at(int64_t step, int64_t total_steps) const;
};

using Schedule = std::variant<ConstantRate, PolynomialDecay, CosineDecay, OneCycle, StepDecay>;

/// Name and help of each, in the order of the variant.
std::vector<ScheduleInfo> all_schedules();
const ScheduleInfo& info_of(const Schedule& schedule);
/// A schedule with its default fields; throws a user error naming the nearest name.
Schedule make_schedule(std::string_view name);

double rate_at(const Schedule& schedule, int64_t step, int64_t total_steps);
/// The rate of each step, 0 to total_steps - 1, rounded to single precision. Throws a user error that names
/// the field when a field, or total_steps, is out of range.
std::vector<float> rate_table(const Schedule& schedule, int64_t total_steps);

}  // namespace lockstep
