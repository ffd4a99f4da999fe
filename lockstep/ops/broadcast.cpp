#include "lockstep/ops/broadcast.h"

#include <fmt/format.h>

#include "lockstep/ops/positions.h"

namespace lockstep {

Type broadcast_type(const OpInfo& info, const Types& in, DType dtype) {
  if (in[0].dtype != in[1].dtype)
    refuse(info.name, fmt::format("{} and {} must have one element type", info.inputs[0], info.inputs[1]),
           inputs_text(info, in));
  Type out{dtype, {}};
  if (!broadcast_shapes(in[0].shape, in[1].shape, &out.shape))
    refuse(info.name, fmt::format("the shapes of {} and {} do not broadcast", info.inputs[0], info.inputs[1]),
           inputs_text(info, in), "aligned at the last axis, sizes that are equal or 1");
  check_shape(info.name, out.shape);
  return out;
}

namespace {
bool broadcasts(const Shape& from, const Shape& to) {
  Shape both;
  return from.size() <= to.size() && broadcast_shapes(from, to, &both) && both == to;
}
}  // namespace

Types BroadcastTo::infer(const Types& in) const {
  check_shape(info.name, shape);
  if (!broadcasts(in[0].shape, shape))
    refuse(info.name, "x does not broadcast to the shape",
           fmt::format("{} to {}", type_text(in[0]), shape_text(shape)),
           "aligned at the last axis, sizes of x that are equal or 1");
  return {{in[0].dtype, shape}};
}
Values BroadcastTo::grad(NodeView n, const Values& dy) const { return {sum_to(dy[0], n.in(0).shape())}; }
void BroadcastTo::eval(Args a) const {
  auto from = broadcast_positions(a.in[0]->shape(), shape);
  with_elements(*a.in[0], *a.out[0], [&](const auto& x, auto& y) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = x[from[i]];
  });
}
Cost BroadcastTo::cost(const Types& in) const { return streaming_cost(in, infer(in), 0); }
OpCases BroadcastTo::cases() {
  OpCases all;
  auto one = [&](const char* x, Shape to) {
    all.push_back(op_case(BroadcastTo{std::move(to)}, {parse_type(x)}));
  };
  one("f32[]", {2, 3});
  one("f64[3]", {2, 3});
  one("f64[2,1,3]", {5, 2, 7, 3});
  one("f32[1]", {1});
  one("f32[1]", {0});
  one("f64[0,1]", {3, 0, 2});
  one("f16[1,5]", {3, 5});
  one("bf16[]", {1});
  one("i64[3,1]", {3, 2});
  one("pred[]", {3});
  return all;
}

Types SumTo::infer(const Types& in) const {
  check_shape(info.name, shape);
  if (in[0].dtype == DType::pred)
    refuse(info.name, "x must be a number", type_text(in[0]), "floating point or integers");
  if (!broadcasts(shape, in[0].shape))
    refuse(info.name, "the shape does not broadcast to x",
           fmt::format("{} to {}", type_text(in[0]), shape_text(shape)),
           "aligned at the last axis, sizes that are equal or 1");
  return {{in[0].dtype, shape}};
}
Values SumTo::grad(NodeView n, const Values& dy) const { return {broadcast_to(dy[0], n.in(0).shape())}; }
void SumTo::eval(Args a) const {
  auto to = broadcast_positions(shape, a.in[0]->shape());
  with_elements(*a.in[0], *a.out[0], [&](const auto& x, auto& y) {
    using T = std::decay_t<decltype(y[0])>;
    using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;  // integers wrap
    for (size_t i = 0; i < x.size(); ++i)
      y[to[i]] = static_cast<T>(static_cast<Sum>(y[to[i]]) + static_cast<Sum>(x[i]));
  });
}
Cost SumTo::cost(const Types& in) const {
  Cost cost = streaming_cost(in, infer(in), 0);
  cost.flops = static_cast<double>(in[0].elements());
  return cost;
}
OpCases SumTo::cases() {
  OpCases all;
  auto one = [&](const char* x, Shape to) { all.push_back(op_case(SumTo{std::move(to)}, {parse_type(x)})); };
  one("f32[2,3]", {});
  one("f64[2,3]", {3});
  one("f64[5,2,7,3]", {2, 1, 3});
  one("f32[1]", {1});
  one("f32[0]", {1});
  one("f64[3,0,2]", {0, 1});
  one("f16[3,5]", {1, 5});
  one("bf16[7]", {});
  one("i32[3,2]", {3, 1});
  return all;
}

Value broadcast_to(Value x, Shape shape, Site site) {
  return x.shape() == shape ? x : emit_one(BroadcastTo{std::move(shape)}, {x}, site);
}
Value sum_to(Value x, Shape shape, Site site) {
  return x.shape() == shape ? x : emit_one(SumTo{std::move(shape)}, {x}, site);
}

}  // namespace lockstep
