// Maximum and average pooling and their derivatives, for both layouts.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel max_pool_kernel();
Kernel max_pool_backward_kernel();
Kernel avg_pool_kernel();
Kernel avg_pool_backward_kernel();

}  // namespace lockstep::cpu
