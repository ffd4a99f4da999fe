// The settings that define where training goes: a run can be continued only where they agree.
#pragma once

#include <map>
#include <string>

#include "lockstep/config/settings.h"

namespace lockstep {

/// By "table.key", in text: model, optimizer, schedule, and of data and train what decides the batches and
/// the step. Not among them is what changes no bit or only when something is looked at: folders, workers,
/// ring slots, steps per call, evaluation, checkpoints, threads, and the target itself.
using Trajectory = std::map<std::string, std::string>;
Trajectory trajectory_of(const Settings& settings, int64_t train_size);

/// One "key = value" a line; the inverse throws a data error on anything else.
std::string print(const Trajectory& trajectory);
Trajectory parse_trajectory(const std::string& text);

/// Throws a user error at the first key that differs; `origin` is where `had` comes from.
void check_same_trajectory(const Trajectory& had, const Trajectory& wanted, const std::string& origin);

}  // namespace lockstep
