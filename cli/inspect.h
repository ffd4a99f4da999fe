// Numbers about a compiled model that several verbs print.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/config/settings.h"
#include "lockstep/run/compile.h"
#include "lockstep/targets/target.h"

namespace lockstep::cli {

int64_t parameters_of(const Graph& graph);
int64_t parameters_of(const Bundle& bundle);

/// What the published model is made for: its image and classes, and data of a usual size.
DataFacts published_facts(const NamedModel& model);

/// The bundle on the target that the settings name.
std::unique_ptr<Executable> lower(const Settings& settings, Bundle bundle);

/// Everything that is allocated for a run, rings included.
int64_t planned_bytes(const MemoryPlan& plan, int64_t host_bytes);

/// "1,234,567".
std::string grouped(int64_t number);
/// "12.3 s", "4 min 05 s", "2 h 03 min".
std::string duration_text(double seconds);

}  // namespace lockstep::cli
