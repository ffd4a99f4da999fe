// Program -> flat calls: chooses a kernel for each step or group and notes what lives when.
#pragma once

#include "lockstep/targets/cpu/executable.h"

namespace lockstep::cpu {

/// Everything one program becomes before memory is laid out.
struct Lowered {
  ProgramCode code;
  std::vector<std::shared_ptr<void>> kept;
  std::vector<std::function<void(const Cell*)>> bound_actions;
  int64_t counted_bytes = 0;
  /// By cell: the arena buffer it names, or -1.
  std::vector<int> cell_buffer;
};

/// Throws a user error when a step cannot run on this target or a forced kernel does not exist.
Lowered lower_program(const Bundle& bundle, const Program& program, const TargetOptions& options,
                      int threads);

}  // namespace lockstep::cpu
