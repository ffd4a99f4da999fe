// Helpers of kernels that work row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {

/// Cuts rows of `row_floats` floats each, on which `weight` times the work of a copy is done.
inline Cut cut_rows(int64_t rows, int64_t row_floats, int64_t weight = 1) {
  return Cut(rows, std::max<int64_t>(1, stream_grain / std::max<int64_t>(1, row_floats * weight)));
}

/// The largest of n numbers, NaN if there is one; -inf where n = 0.
inline float largest_of(const float* x, int64_t n) {
  float most = -INFINITY;
  for (int64_t k = 0; k < n; ++k) most = std::isnan(most) || most >= x[k] ? most : x[k];
  return most;
}

}  // namespace lockstep::cpu
