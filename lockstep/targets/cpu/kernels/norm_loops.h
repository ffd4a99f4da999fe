// The inner loops of batch norm, once per instruction set (Highway). One image, one block of eight channels:
// `x` points at area * 8 floats (blocked) and per-channel parameters at 8 floats.
#pragma once

#include <cstdint>

namespace lockstep::cpu {

/// What the forward loops do behind scale and shift.
enum class NormTail { none, relu, add_relu };

/// sum[c] += x, over `area` pixels; lanes are channels, so the order of addition is the order of pixels.
void norm_sum(const float* x, int64_t area, float* sum);
/// sum[c] += (x - mean[c])^2.
void norm_square_sum(const float* x, const float* mean, int64_t area, float* sum);
/// y = tail(x * factor[c] + offset[c], other).
void norm_apply(const float* x, const float* factor, const float* offset, const float* other, float* y,
                int64_t area, NormTail tail);

/// Gradients of the backward pass. `parts` incoming gradients (1 or 2) are added; with `relu_output` they
/// count only where it is above 0; `gradient` receives the result when it is not null. Adds to sum[c] the
/// gradient and to dot[c] the gradient times (x - mean[c]).
void norm_backward_sums(const float* const* incoming, int parts, const float* relu_output, const float* x,
                        const float* mean, float* gradient, int64_t area, float* sum, float* dot);
/// dx = gradient * a[c] + x * b[c] + d[c]; the gradient is read from `gradient`, or formed again as above
/// when that is null.
void norm_backward_apply(const float* gradient, const float* const* incoming, int parts,
                         const float* relu_output, const float* x, const float* a, const float* b,
                         const float* d, float* dx, int64_t area);

}  // namespace lockstep::cpu
