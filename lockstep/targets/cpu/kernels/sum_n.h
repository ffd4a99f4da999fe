// The sum of any number of values, in memory once.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel sum_n_kernel();

}  // namespace lockstep::cpu
