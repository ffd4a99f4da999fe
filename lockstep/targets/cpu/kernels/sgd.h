// One update of stochastic gradient descent.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel sgd_kernel();

}  // namespace lockstep::cpu
