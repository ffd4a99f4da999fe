#include "lockstep/run/trajectory.h"

#include <fmt/format.h>

#include <variant>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

template <class Record>
void add_fields(Trajectory& out, const std::string& table, const Record& record) {
  std::apply(
      [&](auto... f) { ((out[table + "." + std::string(f.name)] = field_text(record.*(f.member))), ...); },
      Record::attrs);
}

template <class Record>
std::string name_of_record(const Record& record) {
  if constexpr (requires { record.info.name; })
    return std::string(record.info.name);
  else
    return std::string(Record::name);
}

/// A record chosen among several: its name, then its fields.
template <class Variant>
void add_choice(Trajectory& out, const std::string& table, const Variant& choice) {
  std::visit(
      [&](const auto& record) {
        out[table + ".name"] = name_of_record(record);
        add_fields(out, table, record);
      },
      choice);
}

std::string or_none(const Trajectory& trajectory, const std::string& key) {
  auto found = trajectory.find(key);
  return found == trajectory.end() ? "nothing" : found->second;
}

}  // namespace

Trajectory trajectory_of(const Settings& settings, int64_t train_size) {
  Trajectory out;
  add_choice(out, "model", settings.model);
  add_choice(out, "optimizer", settings.optimizer);
  add_choice(out, "schedule", settings.schedule);
  add_fields(out, "data", settings.data);
  for (const char* key :
       {"folder", "train_images", "train_labels", "test_images", "test_labels", "workers", "ring_slots"})
    out.erase(std::string("data.") + key);
  add_fields(out, "train", settings.train);
  out.erase("train.steps_per_call");
  out["data.train_samples"] = std::to_string(train_size);
  return out;
}

std::string print(const Trajectory& trajectory) {
  std::string out;
  for (const auto& [key, value] : trajectory) out += fmt::format("{} = {}\n", key, value);
  return out;
}

Trajectory parse_trajectory(const std::string& text) {
  Trajectory out;
  for (const auto& line : split(text, '\n')) {
    if (line.empty()) continue;
    auto equals = line.find(" = ");
    if (equals == std::string::npos) throw data_error("settings without '='").but(line, "key = value");
    out[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return out;
}

void check_same_trajectory(const Trajectory& had, const Trajectory& wanted, const std::string& origin) {
  if (had == wanted) return;
  Trajectory keys = had;
  keys.insert(wanted.begin(), wanted.end());
  for (const auto& [key, unused] : keys) {
    std::string before = or_none(had, key), now = or_none(wanted, key);
    if (before == now) continue;
    throw user_error("a run cannot be continued with another " + key)
        .at(origin)
        .but(fmt::format("{} = {}", key, now), fmt::format("{} = {}, as the run began", key, before))
        .advise("set it back, or begin anew with --resume none and another --out");
  }
}

}  // namespace lockstep
