// Exponential running averages.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel running_average_kernel();

}  // namespace lockstep::cpu
