// Inner loop of the weight gradient of a first convolution (few input channels), once per instruction set.
#pragma once

#include <cstdint>

namespace lockstep::cpu {

/// For one image and eight output channels: sums[t * 8 + o] += sum over output pixels (i, j) of
/// x[i * row_step + j * column_step + t * tap_step] * dy[(i * width + j) * 8 + o], for `taps` <= 8
/// neighbours.
void stem_taps(const float* x, int64_t row_step, int64_t column_step, int64_t tap_step, const float* dy,
               int64_t height, int64_t width, int64_t taps, float* sums);

}  // namespace lockstep::cpu
