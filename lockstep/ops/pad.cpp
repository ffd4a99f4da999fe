#include "lockstep/ops/pad.h"

#include <fmt/format.h>

#include "lockstep/ops/positions.h"
#include "lockstep/ops/slice.h"

namespace lockstep {

Types PadZero::infer(const Types& in) const {
  Type out = in[0];
  bool fits = before.size() == out.shape.size() && after.size() == out.shape.size();
  constexpr int64_t most = int64_t{1} << 60;
  for (size_t d = 0; fits && d < before.size(); ++d) {
    fits = before[d] >= 0 && after[d] >= 0 && before[d] <= most && after[d] <= most;
    if (fits) out.shape[d] += before[d] + after[d];
  }
  if (!fits)
    refuse(info.name, "before and after must give a number of zeros for each axis of x",
           fmt::format("before {}, after {}, x {}", shape_text(before), shape_text(after), type_text(in[0])),
           "numbers of 0 or more");
  check_shape(info.name, out.shape);
  return {out};
}

Values PadZero::grad(NodeView n, const Values& dy) const {
  Shape end = n.in(0).shape();
  for (size_t d = 0; d < end.size(); ++d) end[d] += before[d];
  return {slice(dy[0], before, end)};
}

void PadZero::eval(Args a) const {
  Shape strides = strides_of(a.out[0]->shape());
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += before[d] * strides[d];
  auto to = positions(a.in[0]->shape(), strides, offset);
  with_elements(*a.in[0], *a.out[0], [&](const auto& x, auto& y) {
    for (size_t i = 0; i < x.size(); ++i) y[to[i]] = x[i];
  });
}

Cost PadZero::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }

OpCases PadZero::cases() {
  OpCases all;
  auto one = [&](const char* x, Shape before, Shape after) {
    all.push_back(op_case(PadZero{std::move(before), std::move(after)}, {parse_type(x)}));
  };
  one("f32[2,3]", {1, 0}, {0, 2});
  one("f64[3,1,5]", {0, 2, 1}, {1, 1, 0});
  one("f64[5]", {0}, {0});
  one("f32[]", {}, {});
  one("f32[1]", {3}, {3});
  one("f32[0,3]", {1, 1}, {2, 0});
  one("f16[7]", {1}, {1});
  one("bf16[3,3]", {0, 1}, {0, 0});
  one("i32[3]", {2}, {0});
  return all;
}

Value pad_zero(Value x, Shape before, Shape after, Site site) {
  return emit_one(PadZero{std::move(before), std::move(after)}, {x}, site);
}

}  // namespace lockstep
