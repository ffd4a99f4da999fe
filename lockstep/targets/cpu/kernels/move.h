// Ops that only move elements, of any type: copies between loop nests.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel reshape_kernel();
Kernel transpose_kernel();
Kernel broadcast_to_kernel();
Kernel slice_kernel();

}  // namespace lockstep::cpu
