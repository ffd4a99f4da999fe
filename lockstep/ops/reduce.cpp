#include "lockstep/ops/reduce.h"

#include <fmt/format.h>

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/positions.h"
#include "lockstep/ops/reshape.h"

namespace lockstep {

namespace {
/// The shape of x with size 1 at the reduced axes; `reduced` becomes the shape without them.
Shape kept_shape(std::string_view op, const ReduceAttrs& attrs, const Shape& x, Shape* reduced = nullptr) {
  std::vector<bool> gone(x.size(), attrs.axes.empty());
  for (auto axis : attrs.axes) {
    size_t d = resolve_axis(op, axis, x.size());
    if (gone[d]) refuse(op, "an axis is named twice", shape_text(attrs.axes));
    gone[d] = true;
  }
  Shape kept = x;
  for (size_t d = 0; d < x.size(); ++d) {
    if (gone[d])
      kept[d] = 1;
    else if (reduced != nullptr)
      reduced->push_back(x[d]);
  }
  return kept;
}

Type reduced_type(std::string_view op, const ReduceAttrs& attrs, const Type& x) {
  Shape reduced, kept = kept_shape(op, attrs, x.shape, &reduced);
  return {x.dtype, attrs.keep ? kept : reduced};
}

/// Elements of x that become one element of y.
int64_t span_of(std::string_view op, const ReduceAttrs& attrs, const Shape& x) {
  Shape kept = kept_shape(op, attrs, x);
  int64_t span = 1;
  for (size_t d = 0; d < x.size(); ++d)
    if (kept[d] != x[d]) span *= x[d];
  return span;
}

void check_not_empty(std::string_view op, const ReduceAttrs& attrs, const Type& x) {
  if (span_of(op, attrs, x.shape) == 0)
    refuse(op, "there is nothing to reduce",
           fmt::format("{} over axes {}", type_text(x), shape_text(attrs.axes)), "axes of size 1 or more");
}

/// Repeats dy over the axes that were reduced.
Value spread(std::string_view op, const ReduceAttrs& attrs, Value dy, Value x) {
  // A copy: the type that x.shape() refers to moves when the graph grows.
  Shape shape(x.shape().begin(), x.shape().end());
  return broadcast_to(reshape(dy, kept_shape(op, attrs, shape)), shape);
}

/// For each element of x the element of y into which it is reduced.
std::vector<int64_t> targets(std::string_view op, const ReduceAttrs& attrs, const Shape& x) {
  return broadcast_positions(kept_shape(op, attrs, x), x);
}

/// For each element of y the first of the largest elements of x.
std::vector<int64_t> first_largest(const Tensor& x, const std::vector<int64_t>& to, int64_t count) {
  auto nan = [&](int64_t i) { return x.is_real() && is_nan(x.real[i]); };
  std::vector<int64_t> best(count, -1);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t& b = best[to[i]];
    if (b < 0 || (!nan(b) && (nan(i) || order_of(x, i, x, b) > 0))) b = i;
  }
  return best;
}

Cost reduce_cost(const Types& in, const Types& out) {
  Cost cost = streaming_cost(in, out, 0);
  cost.flops = static_cast<double>(in.back().elements());
  return cost;
}

template <class Op>
OpCases reduce_cases(bool with_empty_axes) {
  OpCases all;
  auto one = [&](const char* x, Shape axes, bool keep = false) {
    Op op;
    op.axes = std::move(axes);
    op.keep = keep;
    OpCase c = op_case(op, {parse_type(x)});
    if (Op::info.inputs.size() == 2)
      c.inputs.insert(c.inputs.begin(), reduced_type(Op::info.name, op, c.inputs[0]));
    all.push_back(std::move(c));
  };
  one("f32[2,3]", {1});
  one("f64[3,5,7]", {0, -1});
  one("f64[3,5,7]", {1}, true);
  one("f64[2,3]", {});
  one("f64[2,3]", {}, true);
  one("f32[]", {});
  one("f32[1]", {0});
  one("f32[0,3]", {1});
  one("f32[3,0]", {-2}, true);
  one("f16[7]", {0});
  one("bf16[3,5]", {1});
  if (!with_empty_axes) return all;
  one("f32[0]", {0});
  one("f64[3,0]", {1}, true);
  return all;
}
}  // namespace

Types ReduceSum::infer(const Types& in) const {
  if (in[0].dtype == DType::pred)
    refuse(info.name, "x must be a number", type_text(in[0]), "floating point or integers");
  return {reduced_type(info.name, *this, in[0])};
}
Values ReduceSum::grad(NodeView n, const Values& dy) const {
  return {spread(info.name, *this, dy[0], n.in(0))};
}
void ReduceSum::eval(Args a) const {
  auto to = targets(info.name, *this, a.in[0]->shape());
  with_elements(*a.in[0], *a.out[0], [&](const auto& x, auto& y) {
    for (size_t i = 0; i < x.size(); ++i) y[to[i]] = Add::value(y[to[i]], x[i]);
  });
}
Cost ReduceSum::cost(const Types& in) const { return reduce_cost(in, infer(in)); }
OpCases ReduceSum::cases() {
  OpCases all = reduce_cases<ReduceSum>(true);
  all.push_back(op_case(ReduceSum{}, {parse_type("i32[2,3]")}, {Domain{-5, 6}}));
  return all;
}

Types ReduceMean::infer(const Types& in) const {
  check_float(info.name, "x", in[0]);
  check_not_empty(info.name, *this, in[0]);
  return {reduced_type(info.name, *this, in[0])};
}
Values ReduceMean::grad(NodeView n, const Values& dy) const {
  auto span = static_cast<double>(span_of(info.name, *this, n.in(0).shape()));
  return {spread(info.name, *this, scale(dy[0], 1 / span), n.in(0))};
}
void ReduceMean::eval(Args a) const {
  auto to = targets(info.name, *this, a.in[0]->shape());
  for (size_t i = 0; i < to.size(); ++i) a.out[0]->real[to[i]] += a.in[0]->real[i];
  for (auto& y : a.out[0]->real) y /= static_cast<double>(span_of(info.name, *this, a.in[0]->shape()));
}
Cost ReduceMean::cost(const Types& in) const { return reduce_cost(in, infer(in)); }
OpCases ReduceMean::cases() { return reduce_cases<ReduceMean>(false); }

Types ReduceMax::infer(const Types& in) const {
  if (in[0].dtype == DType::pred)
    refuse(info.name, "x must be a number", type_text(in[0]), "floating point or integers");
  check_not_empty(info.name, *this, in[0]);
  return {reduced_type(info.name, *this, in[0])};
}
Values ReduceMax::grad(NodeView n, const Values& dy) const {
  return {reduce_max_backward(dy[0], n.in(0), axes, keep)};
}
void ReduceMax::eval(Args a) const {
  auto best = first_largest(*a.in[0], targets(info.name, *this, a.in[0]->shape()), a.out[0]->size());
  with_elements(*a.in[0], *a.out[0], [&](const auto& x, auto& y) {
    for (size_t i = 0; i < y.size(); ++i) y[i] = x[best[i]];
  });
}
Cost ReduceMax::cost(const Types& in) const { return reduce_cost(in, infer(in)); }
OpCases ReduceMax::cases() {
  OpCases all = reduce_cases<ReduceMax>(false);
  ReduceMax op;
  op.axes = {0};
  all.push_back(op_case(op, {parse_type("i32[3,2]")}, {Domain{-5, 6}}));
  return all;
}

Types ReduceMaxBackward::infer(const Types& in) const {
  check_float(info.name, "x", in[1]);
  check_not_empty(info.name, *this, in[1]);
  Type want = reduced_type(info.name, *this, in[1]);
  if (in[0] != want) refuse(info.name, "dy does not fit x", inputs_text(info, in), "dy " + type_text(want));
  return {in[1]};
}
Values ReduceMaxBackward::grad(NodeView, const Values&) const {
  throw user_error("reduce_max_backward has no derivative").advise("differentiate once only");
}
void ReduceMaxBackward::eval(Args a) const {
  auto best = first_largest(*a.in[1], targets(info.name, *this, a.in[1]->shape()), a.in[0]->size());
  for (size_t i = 0; i < best.size(); ++i) a.out[0]->real[best[i]] = a.in[0]->real[i];
}
Cost ReduceMaxBackward::cost(const Types& in) const { return reduce_cost(in, infer(in)); }
OpCases ReduceMaxBackward::cases() { return reduce_cases<ReduceMaxBackward>(false); }

namespace {
template <class Op>
Value reduce(Values inputs, Shape axes, bool keep, Site site) {
  Op op;
  op.axes = std::move(axes);
  op.keep = keep;
  return emit_one(std::move(op), inputs, site);
}
}  // namespace

Value reduce_sum(Value x, Shape axes, bool keep, Site site) {
  return reduce<ReduceSum>({x}, std::move(axes), keep, site);
}
Value reduce_mean(Value x, Shape axes, bool keep, Site site) {
  return reduce<ReduceMean>({x}, std::move(axes), keep, site);
}
Value reduce_max(Value x, Shape axes, bool keep, Site site) {
  return reduce<ReduceMax>({x}, std::move(axes), keep, site);
}
Value reduce_max_backward(Value dy, Value x, Shape axes, bool keep, Site site) {
  return reduce<ReduceMaxBackward>({dy, x}, std::move(axes), keep, site);
}

}  // namespace lockstep
