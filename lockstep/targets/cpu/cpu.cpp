#include "lockstep/targets/cpu/cpu.h"

#include "lockstep/targets/cpu/executable.h"

namespace lockstep::cpu {

std::unique_ptr<Executable> lower(Bundle bundle, const TargetOptions& options) {
  return std::make_unique<CpuExecutable>(std::move(bundle), options);
}

}  // namespace lockstep::cpu
