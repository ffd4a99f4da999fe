// Rows of a table by index, and the sum of rows that is its derivative.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel gather_kernel();
Kernel gather_backward_kernel();

}  // namespace lockstep::cpu
