// Loop nests over operands with strides. Axes are merged when the nest is made, so that most nests are one or
// two deep.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {

/// The axes of a value in memory, outermost first: those of its shape, or (N, C/8, H, W, 8).
Shape memory_axes(const Shape& shape, Layout order);

/// The strides, in elements, of `from` broadcast to the shape `to`, along the memory axes of `to`; 0 where it
/// repeats. A blocked `from` needs a blocked `to`.
Shape broadcast_strides(const Shape& from, Layout from_order, const Shape& to, Layout to_order);

template <int operands>
struct Nest {
  static constexpr int most = 8;
  int rank = 1;
  std::array<int64_t, most> sizes{1};
  std::array<std::array<int64_t, operands>, most> strides{};

  Nest() = default;
  /// Axes outermost first, at most `most`; strides by operand, then by axis.
  Nest(const Shape& axes, const std::array<Shape, operands>& by_operand);
  int64_t size() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= sizes[d];
    return n;
  }
  /// Of the innermost axis.
  int64_t inner_stride(int operand) const { return strides[rank - 1][operand]; }
};

template <int operands>
Nest<operands>::Nest(const Shape& axes, const std::array<Shape, operands>& by_operand) {
  rank = 0;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d] == 1) continue;
    bool merges = rank > 0;
    for (int k = 0; merges && k < operands; ++k) merges = strides[rank - 1][k] == by_operand[k][d] * axes[d];
    if (merges)
      sizes[rank - 1] *= axes[d];
    else
      sizes[rank++] = axes[d];
    for (int k = 0; k < operands; ++k) strides[rank - 1][k] = by_operand[k][d];
  }
  if (rank == 0) sizes[rank++] = 1;
}

/// Calls row(first, offsets, count) for the elements begin..end-1 of the nest, counted in row-major order, in
/// runs along the innermost axis: run of `count` elements from number `first`, operand k beginning at
/// offsets[k].
template <int operands, class Row>
void walk(const Nest<operands>& nest, int64_t begin, int64_t end, Row row) {
  if (begin >= end) return;
  const int inner = nest.rank - 1;
  std::array<int64_t, Nest<operands>::most> index{};
  std::array<int64_t, operands> offsets{};
  int64_t rest = begin;
  for (int d = inner; d >= 0; --d) {
    index[d] = rest % nest.sizes[d];
    rest /= nest.sizes[d];
    for (int k = 0; k < operands; ++k) offsets[k] += index[d] * nest.strides[d][k];
  }
  for (int64_t at = begin; at < end;) {
    int64_t count = std::min(nest.sizes[inner] - index[inner], end - at);
    row(at, offsets, count);
    at += count;
    index[inner] += count;
    for (int k = 0; k < operands; ++k) offsets[k] += count * nest.strides[inner][k];
    for (int d = inner; d > 0 && index[d] == nest.sizes[d]; --d) {
      index[d] = 0;
      ++index[d - 1];
      for (int k = 0; k < operands; ++k)
        offsets[k] += nest.strides[d - 1][k] - nest.sizes[d] * nest.strides[d][k];
    }
  }
}

}  // namespace lockstep::cpu
