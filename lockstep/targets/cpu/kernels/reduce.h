// Sums and means over axes.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel reduce_sum_kernel();
Kernel reduce_mean_kernel();
Kernel sum_to_kernel();

}  // namespace lockstep::cpu
