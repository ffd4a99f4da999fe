// Which element of one tensor belongs to an element of another, and checks of shapes and axes shared by ops.
#pragma once

#include <compare>
#include <string_view>
#include <vector>

#include "lockstep/ir/op.h"

namespace lockstep {

/// For every index of `shape` in row-major order: offset + sum of index * stride, in elements.
std::vector<int64_t> positions(const Shape& shape, const Shape& strides, int64_t offset = 0);
/// For every element of a tensor of shape `to`: the element of one of shape `from` that broadcasting puts
/// there.
std::vector<int64_t> broadcast_positions(const Shape& from, const Shape& to);

/// Compares by the tensors' element type, which must be equal; NaN is unordered.
std::partial_ordering order_of(const Tensor& a, int64_t i, const Tensor& b, int64_t j);

/// Calls f(in.real, out.real) or f(in.whole, out.whole): for ops that only move elements.
template <class F>
void with_elements(const Tensor& in, Tensor& out, F f) {
  if (in.is_real())
    f(in.real, out.real);
  else
    f(in.whole, out.whole);
}

/// Refuses negative sizes and tensors of 2^60 elements or more.
void check_shape(std::string_view op, const Shape& shape);
/// Counts from the end when negative; refuses an axis that the rank does not have.
size_t resolve_axis(std::string_view op, int64_t axis, size_t rank);
/// Refuses an element type that is not floating point.
void check_float(std::string_view op, std::string_view input, const Type& type);
/// "a f32[2,3], b f32[4]"
std::string inputs_text(const OpInfo& info, const Types& in);

}  // namespace lockstep
