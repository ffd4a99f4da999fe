// Values known when the graph is built.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel constant_kernel();

}  // namespace lockstep::cpu
