// Any op, any layout, by the op's own `eval`: slow, always there, the last choice.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel eval_wrapper_kernel();

}  // namespace lockstep::cpu
