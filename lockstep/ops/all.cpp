#include "lockstep/ops/all.h"

#include <algorithm>

#include "lockstep/ops/all_finite.h"
#include "lockstep/ops/batch_norm.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/cast.h"
#include "lockstep/ops/compare.h"
#include "lockstep/ops/concat.h"
#include "lockstep/ops/constant.h"
#include "lockstep/ops/conv.h"
#include "lockstep/ops/counter.h"
#include "lockstep/ops/cross_entropy.h"
#include "lockstep/ops/dropout.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/gather.h"
#include "lockstep/ops/matmul.h"
#include "lockstep/ops/pad.h"
#include "lockstep/ops/pool.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/reshape.h"
#include "lockstep/ops/running_average.h"
#include "lockstep/ops/select.h"
#include "lockstep/ops/sgd.h"
#include "lockstep/ops/slice.h"
#include "lockstep/ops/softmax.h"
#include "lockstep/ops/sum_n.h"
#include "lockstep/ops/top_k.h"
#include "lockstep/ops/transpose.h"

namespace lockstep {

const std::vector<const OpRow*>& all_ops() {
  static const std::vector<const OpRow*> ops{
      &op_row<Abs>(),
      &op_row<Add>(),
      &op_row<Advance>(),
      &op_row<AllFinite>(),
      &op_row<AvgPool>(),
      &op_row<AvgPoolBackward>(),
      &op_row<BatchNorm>(),
      &op_row<BatchNormBackward>(),
      &op_row<BatchNormInference>(),
      &op_row<BroadcastTo>(),
      &op_row<Cast>(),
      &op_row<Concat>(),
      &op_row<Constant>(),
      &op_row<Conv>(),
      &op_row<ConvBackwardData>(),
      &op_row<ConvBackwardWeights>(),
      &op_row<CrossEntropy>(),
      &op_row<CrossEntropyBackward>(),
      &op_row<Div>(),
      &op_row<Dropout>(),
      &op_row<Equal>(),
      &op_row<Exp>(),
      &op_row<Gather>(),
      &op_row<GatherBackward>(),
      &op_row<Greater>(),
      &op_row<Less>(),
      &op_row<Log>(),
      &op_row<LogSoftmax>(),
      &op_row<Matmul>(),
      &op_row<MaxPool>(),
      &op_row<MaxPoolBackward>(),
      &op_row<Maximum>(),
      &op_row<Minimum>(),
      &op_row<Mul>(),
      &op_row<Neg>(),
      &op_row<PadZero>(),
      &op_row<ReduceMax>(),
      &op_row<ReduceMaxBackward>(),
      &op_row<ReduceMean>(),
      &op_row<ReduceSum>(),
      &op_row<Relu>(),
      &op_row<ReluBackward>(),
      &op_row<Reshape>(),
      &op_row<Rsqrt>(),
      &op_row<RunningAverage>(),
      &op_row<Scale>(),
      &op_row<Select>(),
      &op_row<Sgd>(),
      &op_row<Shift>(),
      &op_row<Sigmoid>(),
      &op_row<Slice>(),
      &op_row<Softmax>(),
      &op_row<Sqrt>(),
      &op_row<Square>(),
      &op_row<Sub>(),
      &op_row<SumN>(),
      &op_row<SumTo>(),
      &op_row<Tanh>(),
      &op_row<TopKCorrect>(),
      &op_row<Transpose>(),
  };
  return ops;
}

const OpRow* find_op(std::string_view name) {
  const auto& ops = all_ops();
  auto it = std::lower_bound(ops.begin(), ops.end(), name,
                             [](const OpRow* op, std::string_view n) { return op->info.name < n; });
  return it != ops.end() && (*it)->info.name == name ? *it : nullptr;
}

const OpRow& op_named(std::string_view name) {
  if (const OpRow* op = find_op(name)) return *op;
  std::vector<std::string> names;
  for (const OpRow* op : all_ops()) names.emplace_back(op->info.name);
  throw user_error("unknown op '" + std::string(name) + "'" + did_you_mean(name, names));
}

}  // namespace lockstep
