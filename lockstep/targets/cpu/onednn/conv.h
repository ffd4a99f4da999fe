// Convolutions by oneDNN's direct kernels: the scaffold that hand-written kernels replace where they are
// faster.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

/// conv, conv_backward_data, conv_backward_weights.
std::vector<Kernel> onednn_conv_kernels();

}  // namespace lockstep::cpu
