// Batch norm over blocked values, alone or with what stands around it: statistics, scale and shift, residual
// add and ReLU in one group; gradient sums, ReLU's mask and the input gradient in the other.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

/// batch_norm; batch_norm+relu; batch_norm+add+relu; the same three of batch_norm_inference.
std::vector<Kernel> batch_norm_forward_kernels();
/// batch_norm_backward; relu_backward+batch_norm_backward; sum_n+relu_backward+batch_norm_backward.
std::vector<Kernel> batch_norm_backward_kernels();

/// Parts of a pass over (N, C/8, H, W, 8): whole images.
Cut image_cut(const Shape& shape);

}  // namespace lockstep::cpu
