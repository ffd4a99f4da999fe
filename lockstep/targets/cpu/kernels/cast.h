// Changing the element type, f16 and bf16 excepted.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel cast_kernel();

}  // namespace lockstep::cpu
