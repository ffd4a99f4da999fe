// Cross entropy of softmax(logits) with labels, and its derivative, row by row.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel cross_entropy_kernel();
Kernel cross_entropy_backward_kernel();

}  // namespace lockstep::cpu
