#include "lockstep/ops/positions.h"

#include <fmt/format.h>

namespace lockstep {

std::vector<int64_t> positions(const Shape& shape, const Shape& strides, int64_t offset) {
  int64_t count = elements(shape);
  std::vector<int64_t> out;
  out.reserve(count);
  Shape index(shape.size(), 0);
  while (static_cast<int64_t>(out.size()) < count) {
    int64_t at = offset;
    for (size_t d = 0; d < shape.size(); ++d) at += index[d] * strides[d];
    out.push_back(at);
    for (size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return out;
}

std::vector<int64_t> broadcast_positions(const Shape& from, const Shape& to) {
  Shape strides(to.size(), 0), own = strides_of(from);
  size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d) strides[lead + d] = from[d] == 1 ? 0 : own[d];
  return positions(to, strides);
}

std::partial_ordering order_of(const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  if (a.is_real()) return a.real[i] <=> b.real[j];
  if (a.type.dtype == DType::u64)
    return static_cast<uint64_t>(a.whole[i]) <=> static_cast<uint64_t>(b.whole[j]);
  return a.whole[i] <=> b.whole[j];
}

void check_shape(std::string_view op, const Shape& shape) {
  __int128 product = 1;
  for (auto size : shape) {
    if (size < 0) refuse(op, "a size is negative", shape_text(shape), "sizes of 0 or more");
    if (size > 0) product *= size;
    if (product >= (static_cast<__int128>(1) << 60))
      refuse(op, "the tensor is too large", shape_text(shape), "fewer than 2^60 elements");
  }
}

size_t resolve_axis(std::string_view op, int64_t axis, size_t rank) {
  auto size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size)
    refuse(op, "x has no such axis", fmt::format("axis {} of a tensor of rank {}", axis, rank),
           rank == 0 ? "a tensor with at least one axis" : fmt::format("an axis in {}..{}", -size, size - 1));
  return static_cast<size_t>(axis < 0 ? axis + size : axis);
}

void check_float(std::string_view op, std::string_view input, const Type& type) {
  if (!is_float(type.dtype))
    refuse(op, fmt::format("{} must be floating point", input), type_text(type), "f32, f64, f16 or bf16");
}

std::string inputs_text(const OpInfo& info, const Types& in) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < in.size(); ++i) {
    bool many = info.inputs.variadic() && i + 1 >= info.inputs.size();
    auto name = info.inputs[many ? info.inputs.size() - 1 : i];
    if (many) name.remove_suffix(3);
    parts.push_back(many ? fmt::format("{}[{}] {}", name, i + 1 - info.inputs.size(), type_text(in[i]))
                         : fmt::format("{} {}", name, type_text(in[i])));
  }
  return join(parts, ", ");
}

}  // namespace lockstep
