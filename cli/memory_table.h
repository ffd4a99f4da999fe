// Memory of a run, line by line, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "lockstep/config/settings.h"
#include "lockstep/program/bundle.h"
#include "lockstep/targets/target.h"

namespace lockstep::cli {

/// variables, arena, tables, outputs, rings, code. Exact but for code, which is what the target says.
std::vector<MemoryLine> memory_lines(const Executable& executable, const Settings& settings,
                                     int64_t data_bytes);

/// The slots of all streams of a program: each begins at a multiple of 64 bytes.
int64_t ring_bytes(const Program& program);

std::string memory_text(const Executable& executable, const Settings& settings, int64_t data_bytes);
nlohmann::ordered_json memory_object(const Executable& executable, const Settings& settings,
                                     int64_t data_bytes);

}  // namespace lockstep::cli
