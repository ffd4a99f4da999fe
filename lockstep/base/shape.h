// Shapes and tensor types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/dtype.h"

namespace lockstep {

using Shape = std::vector<int64_t>;  ///< logical sizes, outermost first; {} is a scalar

int64_t elements(const Shape& shape);
std::string shape_text(const Shape& shape);  ///< "[2,3]"
/// Row-major strides in elements.
Shape strides_of(const Shape& shape);
/// NumPy broadcasting; returns false when the shapes do not match.
bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out);

/// The type of a value: element type and logical shape. Layout in memory is the target's affair.
struct Type {
  DType dtype = DType::f32;
  Shape shape;
  bool operator==(const Type&) const = default;
  int64_t elements() const { return lockstep::elements(shape); }
  int64_t bytes() const { return elements() * bytes_of(dtype); }
};
using Types = std::vector<Type>;

std::string type_text(const Type& type);  ///< "f32[2,3]"
/// Throws a user error on anything but `dtype[a,b,...]` with sizes >= 0 whose product fits in 62 bits.
Type parse_type(std::string_view text);

}  // namespace lockstep
