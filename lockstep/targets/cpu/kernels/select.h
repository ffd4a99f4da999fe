// Choosing between two values by a scalar or element by element.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel select_kernel();

}  // namespace lockstep::cpu
