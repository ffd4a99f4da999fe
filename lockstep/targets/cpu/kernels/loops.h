// Loops over plain arrays of floats, one version per instruction set. Every version gives the same bits:
// nothing is fused that the source does not fuse, and sums have a fixed number of lanes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::cpu {

using BinaryLoop = void (*)(const float* a, const float* b, float* y, size_t n);
using UnaryLoop = void (*)(const float* x, float* y, size_t n);
using ScalarLoop = void (*)(const float* x, float scalar, float* y, size_t n);

/// y = a op b, where either may be a single number.
struct BinaryLoops {
  BinaryLoop both;          ///< a[i] op b[i]
  BinaryLoop scalar_right;  ///< a[i] op b[0]
  BinaryLoop scalar_left;   ///< a[0] op b[i]
};

/// One update of stochastic gradient descent; see ops/sgd.h for the formulas.
struct SgdLoop {
  float rate, momentum, weight_decay;
  bool rate_inside, nesterov;
};

/// y may be one of the inputs. None of the arrays needs an alignment.
struct Loops {
  BinaryLoops add, sub, mul, div, maximum, minimum;
  BinaryLoop relu_backward;  ///< y = b > 0 ? a : 0
  UnaryLoop relu, neg, abs, square, sqrt, rsqrt;
  ScalarLoop scale, shift;
  void (*u8_to_f32)(const uint8_t* x, float* y, size_t n);
  void (*sgd)(const SgdLoop& how, const float* w, const float* g, const float* m, float* w_next,
              float* m_next, size_t n);
  bool (*all_finite)(const float* x, size_t n);
  /// In 32 partial sums, element i into number i mod 32; these are added in a tree.
  float (*sum)(const float* x, size_t n);
  /// y[j] += x[0, j] + x[1, j] + ..., one row after another; rows lie `stride` apart.
  void (*add_rows)(const float* x, size_t rows, size_t stride, float* y, size_t width);
};

/// The loops for this machine.
const Loops& loops();

}  // namespace lockstep::cpu
