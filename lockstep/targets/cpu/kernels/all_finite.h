// The test for overflow.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel all_finite_kernel();

}  // namespace lockstep::cpu
