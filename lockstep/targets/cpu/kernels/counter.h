// Counters of steps and attempts.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel advance_kernel();

}  // namespace lockstep::cpu
