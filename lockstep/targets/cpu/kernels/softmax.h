// Softmax and its logarithm over the last axis.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel softmax_kernel();
Kernel log_softmax_kernel();

}  // namespace lockstep::cpu
