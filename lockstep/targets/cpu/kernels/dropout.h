// Dropout; its mask is a function of (seed, step, sample, use), whatever the layout.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel dropout_kernel();

}  // namespace lockstep::cpu
