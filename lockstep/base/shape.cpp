#include "lockstep/base/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {

int64_t elements(const Shape& shape) {
  int64_t n = 1;
  for (auto d : shape) n *= d;
  return n;
}

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

Shape strides_of(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

bool broadcast_shapes(const Shape& a, const Shape& b, Shape* out) {
  size_t rank = std::max(a.size(), b.size());
  out->assign(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    (*out)[rank - 1 - i] = x == 1 ? y : x;
  }
  return true;
}

std::string type_text(const Type& type) { return std::string(name_of(type.dtype)) + shape_text(type.shape); }

Type parse_type(std::string_view text) {
  auto open = text.find('[');
  if (open == std::string_view::npos || text.back() != ']')
    throw user_error("malformed type '" + std::string(text) + "'")
        .but(std::string(text), "for example f32[2,3]");
  Type type{parse_dtype(text.substr(0, open)), {}};
  auto inside = text.substr(open + 1, text.size() - open - 2);
  if (inside.empty()) return type;
  __int128 product = bytes_of(type.dtype);
  for (const auto& part : split(inside, ',')) {
    int64_t size = parse_int(part);
    if (size < 0) throw user_error("negative size in type '" + std::string(text) + "'");
    product *= std::max<int64_t>(size, 1);
    if (product >= (static_cast<__int128>(1) << 62))
      throw user_error("type '" + std::string(text) + "' is too large");
    type.shape.push_back(size);
  }
  return type;
}

}  // namespace lockstep
