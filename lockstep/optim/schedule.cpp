#include "lockstep/optim/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep {
namespace {

/// Between the warm-up and `decay(s, T)`; a schedule that is all warm-up has T = 1.
template <class S, class Decay>
double after_warmup(const S& schedule, int64_t step, int64_t total_steps, Decay decay) {
  int64_t warmup = schedule.warmup_steps;
  auto length = static_cast<double>(std::max<int64_t>(1, total_steps - warmup));
  if (step >= warmup) return decay(static_cast<double>(step - warmup), length);
  double share = static_cast<double>(step) / static_cast<double>(warmup);
  return schedule.warmup_start + (decay(0, length) - schedule.warmup_start) * share;
}

/// From `from` at share 0 to `to` at share 1, along half a cosine.
double cosine(double from, double to, double share) {
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace

double ConstantRate::at(int64_t step, int64_t total_steps) const {
  return after_warmup(*this, step, total_steps, [&](double, double) { return rate; });
}

double PolynomialDecay::at(int64_t step, int64_t total_steps) const {
  return after_warmup(*this, step, total_steps, [&](double s, double length) {
    double decay = decay_steps > 0 ? static_cast<double>(decay_steps) : length;
    return end + (rate - end) * std::pow(1 - std::min(s, decay) / decay, power);
  });
}

double CosineDecay::at(int64_t step, int64_t total_steps) const {
  return after_warmup(*this, step, total_steps, [&](double s, double length) {
    return cosine(rate, end, std::min(s, length) / length);
  });
}

double OneCycle::at(int64_t step, int64_t total_steps) const {
  return after_warmup(*this, step, total_steps, [&](double s, double length) {
    double peak = std::max(0.0, warm_share * length - 1), last = length - 1;
    if (s <= peak && peak > 0) return cosine(rate * start_factor, rate, s / peak);
    if (last <= peak) return rate;
    return cosine(rate, rate * end_factor, (std::min(s, last) - peak) / (last - peak));
  });
}

double StepDecay::at(int64_t step, int64_t total_steps) const {
  double now = rate;
  for (auto milestone : milestones)
    if (milestone <= step) now *= factor;
  return after_warmup(*this, step, total_steps, [&](double, double) { return now; });
}

namespace {

void check(std::string_view schedule, std::string_view name, bool good, const std::string& got,
           std::string_view want) {
  if (!good)
    throw user_error(fmt::format("schedule {}: {} is out of range", schedule, name))
        .at(std::string(name))
        .but(got, std::string(want));
}

/// Rates, factors and lengths are finite and not negative.
template <class S>
void check_fields(const S& schedule) {
  auto one = [&](auto f) {
    const auto& v = schedule.*(f.member);
    if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>)
      check(S::info.name, f.name, v >= 0 && std::isfinite(v), number_text(v), "0 or more");
    else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, int64_t>)
      check(S::info.name, f.name, v >= 0, std::to_string(v), "0 or more");
    else
      check(S::info.name, f.name, std::is_sorted(v.begin(), v.end()) && (v.empty() || v[0] >= 0),
            field_text(v), "ascending steps, 0 or more");
  };
  std::apply([&](auto... f) { (one(f), ...); }, S::attrs);
  if constexpr (std::is_same_v<S, OneCycle>)
    check(S::info.name, "warm_share", schedule.warm_share <= 1, number_text(schedule.warm_share), "0..1");
}

template <size_t... I>
std::vector<Schedule> one_of_each(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, Schedule>{}...};
}
std::vector<Schedule> one_of_each() {
  return one_of_each(std::make_index_sequence<std::variant_size_v<Schedule>>());
}

}  // namespace

const ScheduleInfo& info_of(const Schedule& schedule) {
  return std::visit([](const auto& s) -> const ScheduleInfo& { return s.info; }, schedule);
}

std::vector<ScheduleInfo> all_schedules() {
  std::vector<ScheduleInfo> infos;
  for (const auto& s : one_of_each()) infos.push_back(info_of(s));
  return infos;
}

Schedule make_schedule(std::string_view name) {
  std::vector<std::string> names;
  for (auto& s : one_of_each()) {
    if (info_of(s).name == name) return s;
    names.emplace_back(info_of(s).name);
  }
  throw user_error(fmt::format("unknown schedule '{}'{}", name, did_you_mean(name, names)))
      .but(std::string(name), join(names, " | "));
}

double rate_at(const Schedule& schedule, int64_t step, int64_t total_steps) {
  return std::visit([&](const auto& s) { return s.at(step, total_steps); }, schedule);
}

std::vector<float> rate_table(const Schedule& schedule, int64_t total_steps) {
  std::visit([](const auto& s) { check_fields(s); }, schedule);
  check(info_of(schedule).name, "total_steps", total_steps >= 1, std::to_string(total_steps), "1 or more");
  std::vector<float> table(static_cast<size_t>(total_steps));
  for (int64_t i = 0; i < total_steps; ++i) table[i] = static_cast<float>(rate_at(schedule, i, total_steps));
  return table;
}

}  // namespace lockstep
