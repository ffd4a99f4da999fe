// The CPU target's door.
#pragma once

#include "lockstep/targets/target.h"

namespace lockstep::cpu {

std::unique_ptr<Executable> lower(Bundle bundle, const TargetOptions& options);

}  // namespace lockstep::cpu
