// Top-k accuracy.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel top_k_correct_kernel();

}  // namespace lockstep::cpu
