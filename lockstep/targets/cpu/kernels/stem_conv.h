// Weight gradient of a first convolution: plain input with few channels, blocked output gradient. oneDNN has
// only its reference code for one input channel.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

Kernel stem_conv_backward_weights_kernel();

}  // namespace lockstep::cpu
