#include "lockstep/ops/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/require.h"
#include "lockstep/ops/reshape.h"

namespace lockstep {
namespace {

void check_inputs(const OpInfo& info, const Types& in, size_t logits, size_t label, double label_smoothing) {
  require_float(info, in, logits);
  require_rank(info, in, logits, 2, "(batch, classes)");
  if (in[logits].shape[1] < 1)
    refuse(info.name, "logits has no classes", type_text(in[logits]), "at least 1");
  require_type(info, in, label, {DType::i32, {in[logits].shape[0]}}, "the batch of logits");
  if (!(label_smoothing >= 0 && label_smoothing <= 1))
    refuse(info.name, "label_smoothing is out of range", number_text(label_smoothing), "0..1");
}

/// The label of `row`, checked: what comes from the data may be anything.
int64_t checked_label(const Tensor& label, int64_t row, int64_t classes) {
  int64_t value = label.whole[row];
  if (value < 0 || value >= classes)
    throw data_error(fmt::format("the label of row {} is not a class", row))
        .at(fmt::format("row {}", row))
        .but(fmt::format("label {}", value), fmt::format("0..{} ({} classes)", classes - 1, classes));
  return value;
}

/// make(logits type, label type, row type, label smoothing, domain of labels) -> case.
template <class Make>
OpCases cases_of(Make make) {
  OpCases cases;
  for (auto dtype : {DType::f32, DType::f64})
    for (double smoothing : {0.0, 0.1, 1.0})
      for (const Shape& shape : {Shape{5, 7}, Shape{1, 3}, Shape{3, 1}, Shape{0, 4}})
        cases.push_back(make(Type{dtype, shape}, Type{DType::i32, {shape[0]}}, Type{dtype, {shape[0]}},
                             smoothing, Domain{0, static_cast<double>(shape[1])}));
  return cases;
}

}  // namespace

// ---- cross_entropy
// ------------------------------------------------------------------------------------------

Types CrossEntropy::infer(const Types& in) const {
  check_inputs(info, in, 0, 1, label_smoothing);
  Type rows{in[0].dtype, {in[0].shape[0]}};
  return {rows, rows};
}

Values CrossEntropy::grad(NodeView n, const Values& dy) const {
  auto logits = n.in(0), lse = n.out(1);
  Value dlogits;
  if (dy[0]) dlogits = cross_entropy_backward(dy[0], logits, n.in(1), lse, label_smoothing);
  if (dy[1]) {  // the derivative of log_sum_exp is softmax
    Shape column{logits.shape()[0], 1};
    auto part = mul(reshape(dy[1], column), exp(sub(logits, reshape(lse, column))));
    dlogits = dlogits ? add(dlogits, part) : part;
  }
  return {dlogits, {}};
}

void CrossEntropy::eval(Args a) const {
  const auto& logits = a.in[0]->real;
  int64_t rows = a.in[0]->shape()[0], classes = a.in[0]->shape()[1];
  for (int64_t b = 0; b < rows; ++b) {
    const double* z = logits.data() + b * classes;
    int64_t label = checked_label(*a.in[1], b, classes);
    double most = *std::max_element(z, z + classes), sum = 0, distance = 0;
    for (int64_t k = 0; k < classes; ++k) sum += std::exp(z[k] - most);
    double lse = most + std::log(sum);
    for (int64_t k = 0; k < classes; ++k) distance += lse - z[k];
    double loss = (1 - label_smoothing) * (lse - z[label]);
    if (label_smoothing > 0) loss += label_smoothing / static_cast<double>(classes) * distance;
    a.out[0]->real[b] = loss;
    a.out[1]->real[b] = lse;
  }
}

Cost CrossEntropy::cost(const Types& in) const {
  Cost cost = streaming_cost(in, infer(in), 0);
  cost.flops = 4.0 * static_cast<double>(in[0].elements());
  return cost;
}

OpCases CrossEntropy::cases() {
  return cases_of([](const Type& logits, const Type& label, const Type&, double smoothing, Domain labels) {
    return op_case(CrossEntropy{smoothing}, {logits, label}, {{-3, 3}, labels});
  });
}

CrossEntropyOutputs cross_entropy(Value logits, Value label, double label_smoothing, Site site) {
  auto out = emit(CrossEntropy{label_smoothing}, {logits, label}, site);
  return {out[0], out[1]};
}

// ---- cross_entropy_backward
// ---------------------------------------------------------------------------------

Types CrossEntropyBackward::infer(const Types& in) const {
  check_inputs(info, in, 1, 2, label_smoothing);
  Type rows{in[1].dtype, {in[1].shape[0]}};
  require_type(info, in, 0, rows, "the batch of logits");
  require_type(info, in, 3, rows, "the batch of logits");
  return {in[1]};
}

Values CrossEntropyBackward::grad(NodeView, const Values&) const {
  throw user_error("cross_entropy_backward: second derivatives are not supported");
}

void CrossEntropyBackward::eval(Args a) const {
  const auto &dloss = a.in[0]->real, &logits = a.in[1]->real, &lse = a.in[3]->real;
  auto& dlogits = a.out[0]->real;
  int64_t rows = a.in[1]->shape()[0], classes = a.in[1]->shape()[1];
  for (int64_t b = 0; b < rows; ++b) {
    int64_t label = checked_label(*a.in[2], b, classes);
    for (int64_t k = 0; k < classes; ++k) {
      double target = (k == label ? 1 - label_smoothing : 0) + label_smoothing / static_cast<double>(classes);
      dlogits[b * classes + k] = dloss[b] * (std::exp(logits[b * classes + k] - lse[b]) - target);
    }
  }
}

Cost CrossEntropyBackward::cost(const Types& in) const { return streaming_cost(in, infer(in), 4); }

OpCases CrossEntropyBackward::cases() {
  return cases_of(
      [](const Type& logits, const Type& label, const Type& rows, double smoothing, Domain labels) {
        return op_case(CrossEntropyBackward{smoothing}, {rows, logits, label, rows},
                       {{}, {-3, 3}, labels, {3, 6}});
      });
}

Value cross_entropy_backward(Value dloss, Value logits, Value label, Value log_sum_exp,
                             double label_smoothing, Site site) {
  return emit_one(CrossEntropyBackward{label_smoothing}, {dloss, logits, label, log_sum_exp}, site);
}

}  // namespace lockstep
