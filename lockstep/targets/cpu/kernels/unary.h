// Elementwise functions of one value.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel neg_kernel();
Kernel exp_kernel();
Kernel log_kernel();
Kernel sqrt_kernel();
Kernel rsqrt_kernel();
Kernel tanh_kernel();
Kernel sigmoid_kernel();
Kernel relu_kernel();
Kernel abs_kernel();
Kernel square_kernel();
Kernel scale_kernel();
Kernel shift_kernel();

}  // namespace lockstep::cpu
