#include "lockstep/ops/reshape.h"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/ops/positions.h"

namespace lockstep {

Types Reshape::infer(const Types& in) const {
  check_shape(info.name, shape);
  if (elements(shape) != in[0].elements())
    refuse(info.name, "the number of elements changes",
           fmt::format("{} to {}", type_text(in[0]), shape_text(shape)),
           fmt::format("{} elements", in[0].elements()));
  return {{in[0].dtype, shape}};
}

Values Reshape::grad(NodeView n, const Values& dy) const { return {reshape(dy[0], n.in(0).shape())}; }

void Reshape::eval(Args a) const {
  with_elements(*a.in[0], *a.out[0], [](const auto& x, auto& y) { y = x; });
}

Cost Reshape::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }

OpCases Reshape::cases() {
  OpCases all;
  auto one = [&](const char* x, Shape to) {
    all.push_back(op_case(Reshape{std::move(to)}, {parse_type(x)}));
  };
  one("f32[2,3]", {3, 2});
  one("f64[3,5]", {15});
  one("f64[1]", {});
  one("f32[]", {1, 1});
  one("f32[0,3]", {5, 0});
  one("f16[7]", {7, 1});
  one("bf16[3,3]", {9});
  one("i64[6]", {1, 6});
  one("pred[4]", {2, 2});
  return all;
}

Value reshape(Value x, Shape shape, Site site) {
  if (std::count(shape.begin(), shape.end(), -1) == 1) {
    int64_t known = 1;
    for (auto size : shape) known *= size == -1 ? 1 : size;
    if (known > 0 && x.type().elements() % known == 0)
      std::replace(shape.begin(), shape.end(), int64_t{-1}, x.type().elements() / known);
  }
  return x.shape() == shape ? x : emit_one(Reshape{std::move(shape)}, {x}, site);
}

}  // namespace lockstep
