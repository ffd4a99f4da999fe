#include "lockstep/ops/softmax.h"

#include <cmath>

#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/positions.h"
#include "lockstep/ops/reduce.h"

namespace lockstep {

namespace {
/// Per element of x: x - m, and the sum of e^(x - m) along its axis.
void shifted(const Tensor& x, size_t axis, std::vector<double>* difference, std::vector<double>* sum) {
  Shape kept = x.shape();
  kept[axis] = 1;
  auto to = broadcast_positions(kept, x.shape());
  std::vector<double> largest(elements(kept), -INFINITY), sums(elements(kept), 0);
  for (size_t i = 0; i < to.size(); ++i) largest[to[i]] = Maximum::value(largest[to[i]], x.real[i]);
  for (size_t i = 0; i < to.size(); ++i) {
    difference->push_back(x.real[i] - largest[to[i]]);
    sums[to[i]] += std::exp(difference->back());
  }
  for (auto t : to) sum->push_back(sums[t]);
}

Types infer_softmax(std::string_view op, int64_t axis, const Types& in) {
  check_float(op, "x", in[0]);
  resolve_axis(op, axis, in[0].shape.size());
  return {in[0]};
}

template <class Op>
OpCases softmax_cases() {
  OpCases all;
  auto one = [&](const char* x, int64_t axis = -1) { all.push_back(op_case(Op{axis}, {parse_type(x)})); };
  one("f32[2,3]");
  one("f64[3,5,7]", 1);
  one("f64[5]", 0);
  one("f32[1]");
  one("f32[0,3]");
  one("f64[3,0]");
  one("f64[3,1]");
  one("f16[1,7]");
  one("bf16[3,5]", -2);
  return all;
}
}  // namespace

Types Softmax::infer(const Types& in) const { return infer_softmax(info.name, axis, in); }
Values Softmax::grad(NodeView n, const Values& dy) const {
  Value y = n.out(0);
  return {mul(y, sub(dy[0], reduce_sum(mul(dy[0], y), {axis}, true)))};
}
void Softmax::eval(Args a) const {
  std::vector<double> difference, sum;
  shifted(*a.in[0], resolve_axis(info.name, axis, a.in[0]->shape().size()), &difference, &sum);
  for (size_t i = 0; i < sum.size(); ++i) a.out[0]->real[i] = std::exp(difference[i]) / sum[i];
}
Cost Softmax::cost(const Types& in) const { return streaming_cost(in, infer(in), 5); }
OpCases Softmax::cases() { return softmax_cases<Softmax>(); }

Types LogSoftmax::infer(const Types& in) const { return infer_softmax(info.name, axis, in); }
Values LogSoftmax::grad(NodeView n, const Values& dy) const {
  return {sub(dy[0], mul(exp(n.out(0)), reduce_sum(dy[0], {axis}, true)))};
}
void LogSoftmax::eval(Args a) const {
  std::vector<double> difference, sum;
  shifted(*a.in[0], resolve_axis(info.name, axis, a.in[0]->shape().size()), &difference, &sum);
  for (size_t i = 0; i < sum.size(); ++i) a.out[0]->real[i] = difference[i] - std::log(sum[i]);
}
Cost LogSoftmax::cost(const Types& in) const { return streaming_cost(in, infer(in), 5); }
OpCases LogSoftmax::cases() { return softmax_cases<LogSoftmax>(); }

Value softmax(Value x, int64_t axis, Site site) { return emit_one(Softmax{axis}, {x}, site); }
Value log_softmax(Value x, int64_t axis, Site site) { return emit_one(LogSoftmax{axis}, {x}, site); }

}  // namespace lockstep
