// add, sub, mul, div, maximum and minimum with broadcasting, and relu_backward.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel add_kernel();
Kernel sub_kernel();
Kernel mul_kernel();
Kernel div_kernel();
Kernel maximum_kernel();
Kernel minimum_kernel();
Kernel relu_backward_kernel();

}  // namespace lockstep::cpu
