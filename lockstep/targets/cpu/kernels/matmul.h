// Products of matrices by oneDNN's sgemm, one call per block of rows.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel matmul_kernel();

}  // namespace lockstep::cpu
