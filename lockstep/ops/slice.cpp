#include "lockstep/ops/slice.h"

#include <fmt/format.h>

#include "lockstep/ops/pad.h"
#include "lockstep/ops/positions.h"

namespace lockstep {

Types Slice::infer(const Types& in) const {
  const Shape& shape = in[0].shape;
  Type out = in[0];
  bool fits = begin.size() == shape.size() && end.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    fits = 0 <= begin[d] && begin[d] <= end[d] && end[d] <= shape[d];
    if (fits) out.shape[d] = end[d] - begin[d];
  }
  if (!fits)
    refuse(info.name, "the slice does not lie in x",
           fmt::format("begin {}, end {}, x {}", shape_text(begin), shape_text(end), type_text(in[0])),
           "0 <= begin <= end <= size for each axis");
  return {out};
}

Values Slice::grad(NodeView n, const Values& dy) const {
  Shape after = n.in(0).shape();
  for (size_t d = 0; d < after.size(); ++d) after[d] -= end[d];
  return {pad_zero(dy[0], begin, after)};
}

void Slice::eval(Args a) const {
  Shape strides = strides_of(a.in[0]->shape());
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += begin[d] * strides[d];
  auto from = positions(a.out[0]->shape(), strides, offset);
  with_elements(*a.in[0], *a.out[0], [&](const auto& x, auto& y) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = x[from[i]];
  });
}

Cost Slice::cost(const Types& in) const {  // reads only what it keeps
  Types out = infer(in);
  return streaming_cost(out, out, 0);
}

OpCases Slice::cases() {
  OpCases all;
  auto one = [&](const char* x, Shape begin, Shape end) {
    all.push_back(op_case(Slice{std::move(begin), std::move(end)}, {parse_type(x)}));
  };
  one("f32[4,3]", {1, 0}, {3, 3});
  one("f64[3,5,7]", {0, 2, 3}, {3, 5, 4});
  one("f64[5]", {2}, {2});
  one("f32[]", {}, {});
  one("f32[1]", {0}, {1});
  one("f32[0,3]", {0, 1}, {0, 2});
  one("f16[7]", {1}, {6});
  one("bf16[3,3]", {2, 1}, {3, 3});
  one("i32[5]", {1}, {4});
  return all;
}

Value slice(Value x, Shape begin, Shape end, Site site) {
  return emit_one(Slice{std::move(begin), std::move(end)}, {x}, site);
}

Value slice_axis(Value x, int64_t axis, int64_t begin, int64_t end, Site site) {
  Shape first(x.shape().size(), 0), last = x.shape();
  size_t d = resolve_axis(Slice::info.name, axis, first.size());
  first[d] = begin;
  last[d] = end;
  return slice(x, std::move(first), std::move(last), site);
}

}  // namespace lockstep
