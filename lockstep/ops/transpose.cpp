#include "lockstep/ops/transpose.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lockstep/ops/positions.h"

namespace lockstep {

Types Transpose::infer(const Types& in) const {
  Shape every(in[0].shape.size());
  std::iota(every.begin(), every.end(), 0);
  if (!std::is_permutation(perm.begin(), perm.end(), every.begin(), every.end()))
    refuse(info.name, "perm must name each axis of x once",
           fmt::format("{} for x {}", shape_text(perm), type_text(in[0])),
           fmt::format("the axes {} in some order", shape_text(every)));
  Type out{in[0].dtype, {}};
  for (auto axis : perm) out.shape.push_back(in[0].shape[axis]);
  return {out};
}

Values Transpose::grad(NodeView, const Values& dy) const {
  Shape inverse(perm.size());
  for (size_t d = 0; d < perm.size(); ++d) inverse[perm[d]] = static_cast<int64_t>(d);
  return {transpose(dy[0], inverse)};
}

void Transpose::eval(Args a) const {
  Shape own = strides_of(a.in[0]->shape()), strides;
  for (auto axis : perm) strides.push_back(own[axis]);
  auto from = positions(a.out[0]->shape(), strides);
  with_elements(*a.in[0], *a.out[0], [&](const auto& x, auto& y) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = x[from[i]];
  });
}

Cost Transpose::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }

OpCases Transpose::cases() {
  OpCases all;
  auto one = [&](const char* x, Shape perm) {
    all.push_back(op_case(Transpose{std::move(perm)}, {parse_type(x)}));
  };
  one("f32[2,3]", {1, 0});
  one("f64[3,5,7]", {2, 0, 1});
  one("f64[2,3,1,5]", {0, 2, 3, 1});
  one("f32[]", {});
  one("f32[1]", {0});
  one("f32[0,3]", {1, 0});
  one("f16[3,5]", {1, 0});
  one("bf16[1,7]", {1, 0});
  one("i32[3,2]", {1, 0});
  return all;
}

Value transpose(Value x, Shape perm, Site site) { return emit_one(Transpose{std::move(perm)}, {x}, site); }

Value transpose_last(Value x, Site site) {
  Shape perm(x.shape().size());
  std::iota(perm.begin(), perm.end(), 0);
  if (perm.size() < 2) refuse("transpose", "x must have at least two axes", type_text(x.type()));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(x, std::move(perm), site);
}

}  // namespace lockstep
