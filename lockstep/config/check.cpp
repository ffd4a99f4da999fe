// What the values of the settings may be, in a row for each key.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lockstep/config/field_value.h"
#include "lockstep/config/tables.h"
#include "lockstep/targets/target.h"

namespace lockstep {
namespace {

Error out_of_range(const std::string& key, const std::string& got, const std::string& want) {
  return user_error(fmt::format("{} is out of range", key)).at(key).but(got, want);
}

/// No setting is NaN or infinite, whatever its table.
void check_finite(const Settings& settings) {
  for_each_table(settings, [](std::string_view table, const auto& part) {
    with_record(part, [&]<class R>(const R& record) {
      auto one = [&](std::string_view name, double v) {
        if (!std::isfinite(v))
          throw out_of_range(fmt::format("{}.{}", table, name), number_text(v), "a finite number");
      };
      auto field_by_type = [&](const auto& f) {
        const auto& v = record.*(f.member);
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>)
          one(f.name, v);
        else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::vector<double>>)
          for (double item : v) one(f.name, item);
      };
      std::apply([&](const auto&... f) { (field_by_type(f), ...); }, R::attrs);
    });
  });
}

template <class T>
void require(const char* key, const T& value, bool good, const char* want) {
  if (!good) throw out_of_range(key, toml_text(value), want);
}
void between(const char* key, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most)
    throw out_of_range(key, std::to_string(value), fmt::format("{} to {}", least, most));
}
void at_least(const char* key, int64_t value, int64_t least) {
  if (value < least) throw out_of_range(key, std::to_string(value), fmt::format("{} or more", least));
}

void check_data(const DataSettings& data) {
  require("data.folder", data.folder, !data.folder.empty(), "a folder");
  between("data.classes", data.classes, 2, 1'000'000);
  require("data.mean", data.mean, !data.mean.empty(), "a number for each channel");
  require("data.deviation", data.deviation, data.deviation.size() == data.mean.size(),
          "as many numbers as data.mean");
  for (double d : data.deviation) require("data.deviation", data.deviation, d > 0, "numbers above 0");
  between("data.pad", data.pad, 0, 1024);
  between("data.workers", data.workers, 1, 64);
  between("data.ring_slots", data.ring_slots, 2, 1024);
}

void check_train(const TrainSettings& train) {
  between("train.batch", train.batch, 1, 1'000'000);
  require("train.epochs", train.epochs, train.epochs > 0, "above 0");
  at_least("train.seed", train.seed, 0);
  between("train.steps_per_call", train.steps_per_call, 1, 10'000);
  require("train.label_smoothing", train.label_smoothing,
          train.label_smoothing >= 0 && train.label_smoothing < 1, "from 0 to below 1");
  require("train.loss_scale", train.loss_scale, train.loss_scale > 0, "above 0");
}

void check_evaluate(const EvaluateSettings& evaluate) {
  require("evaluate.every_epochs", evaluate.every_epochs, evaluate.every_epochs >= 0, "0 or more");
  between("evaluate.batch", evaluate.batch, 0, 1'000'000);
  require("evaluate.until", evaluate.until, evaluate.until >= 0 && evaluate.until <= 1,
          "an accuracy from 0 to 1");
}

void check_target(const TargetSettings& target) {
  try {
    target_named(target.name);
  } catch (Error& e) {
    throw e.at("target.name");
  }
  between("target.threads", target.threads, 0, 1024);
  require("target.in_double", target.in_double, !target.in_double || target.name == "ref",
          "false, unless target.name = \"ref\"");
}

/// Records that check themselves say which field is wrong, if at all, in `where`.
template <class Check>
void check_part(const std::string& table, Check check) {
  try {
    check();
  } catch (Error& e) {
    auto key = std::exchange(e.where, {});
    throw e.at(key.empty() ? table : table + "." + key);
  }
}

void check(const SgdOptimizer& sgd) {
  require("optimizer.momentum", sgd.momentum, sgd.momentum >= 0 && sgd.momentum <= 1, "0 to 1");
  require("optimizer.weight_decay", sgd.weight_decay, sgd.weight_decay >= 0, "0 or more");
  require("optimizer.nesterov", sgd.nesterov, !sgd.nesterov || sgd.momentum > 0,
          "false, unless optimizer.momentum is above 0");
}

}  // namespace

void check_settings(const Settings& settings) {
  check_finite(settings);
  check_part("model", [&] { std::visit([](const auto& m) { m.check(); }, settings.model); });
  std::visit(
      [](const auto& m) {
        require("model.dropout", m.dropout, m.dropout >= 0 && m.dropout < 1, "from 0 to below 1");
      },
      settings.model);
  check_data(settings.data);
  check_train(settings.train);
  std::visit([](const auto& o) { check(o); }, settings.optimizer);
  check_part("schedule", [&] { rate_table(settings.schedule, 1); });
  check_evaluate(settings.evaluate);
  at_least("checkpoint.every_steps", settings.checkpoint.every_steps, 0);
  between("checkpoint.keep", settings.checkpoint.keep, 1, 1'000'000);
  check_target(settings.target);
}

}  // namespace lockstep
