#include "lockstep/ops/concat.h"

#include "lockstep/ops/positions.h"
#include "lockstep/ops/slice.h"

namespace lockstep {

Types Concat::infer(const Types& in) const {
  size_t d = resolve_axis(info.name, axis, in[0].shape.size());
  Type out = in[0];
  out.shape[d] = 0;
  for (auto t : in) {
    int64_t size = t.shape.size() == out.shape.size() ? t.shape[d] : 0;
    if (t.shape.size() == out.shape.size()) t.shape[d] = out.shape[d];
    if (t != out)
      refuse(info.name, "xs may differ only along the axis", inputs_text(info, in),
             "axis " + std::to_string(axis));
    out.shape[d] += size;
    check_shape(info.name, out.shape);
  }
  return {out};
}

Values Concat::grad(NodeView n, const Values& dy) const {
  Values slices;
  size_t inputs = n.graph->nodes()[n.node].in.size();
  int64_t begin = 0;
  for (size_t k = 0; k < inputs; ++k) {
    const Shape& shape = n.in(static_cast<int>(k)).shape();
    int64_t end = begin + shape[resolve_axis(info.name, axis, shape.size())];
    slices.push_back(slice_axis(dy[0], axis, begin, end));
    begin = end;
  }
  return slices;
}

void Concat::eval(Args a) const {
  Shape strides = strides_of(a.out[0]->shape());
  int64_t offset = 0;
  for (const Tensor* in : a.in) {
    auto to = positions(in->shape(), strides, offset);
    with_elements(*in, *a.out[0], [&](const auto& x, auto& y) {
      for (size_t i = 0; i < x.size(); ++i) y[to[i]] = x[i];
    });
    size_t d = resolve_axis(info.name, axis, strides.size());
    offset += in->shape()[d] * strides[d];
  }
}

Cost Concat::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }

OpCases Concat::cases() {
  OpCases all;
  auto one = [&](int64_t axis, std::vector<const char*> xs) {
    Types types;
    for (const auto* x : xs) types.push_back(parse_type(x));
    all.push_back(op_case(Concat{axis}, types));
  };
  one(0, {"f32[2,3]", "f32[1,3]"});
  one(1, {"f64[3,1,5]", "f64[3,2,5]", "f64[3,4,5]"});
  one(-1, {"f64[3]", "f64[0]", "f64[4]"});
  one(0, {"f32[1]"});
  one(0, {"f32[0]", "f32[0]"});
  one(-2, {"f16[1,7]", "f16[2,7]"});
  one(1, {"bf16[3,3]", "bf16[3,2]"});
  one(0, {"i32[3]", "i32[2]"});
  return all;
}

Value concat(const Values& xs, int64_t axis, Site site) { return emit_one(Concat{axis}, xs, site); }

}  // namespace lockstep
