// Dropout whose mask is a function of (seed, step, sample, use) and of nothing else.
#pragma once

#include "lockstep/base/philox.h"
#include "lockstep/ir/graph.h"

namespace lockstep {

/// y = x * mask / (1 - rate). Element i (counted within its row) of row b is kept when
/// uniform24(philox(k, key[b], i / 4)[i % 4]) >= rate with k = philox_fold(philox_fold(seed, step), use).
/// x (batch, ...), seed u64[], step i64[], key u64 (batch) -> y as x. Linear in x.
///
/// `key` is the sample's own key, so neither the other rows of a batch nor its cutting changes a mask; `use`
/// tells the dropouts of a model apart. `rate` in [0, 1), single precision, as the draw is compared with it.
struct Dropout {
  float rate = 0.5f;
  uint64_t use = 0;
  static constexpr OpInfo info{"dropout", {"x", "seed", "step", "key"}, {"y"}};
  static constexpr auto attrs = fields(field("rate", &Dropout::rate), field("use", &Dropout::use));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// The Philox key of all draws of one dropout in one step.
inline uint64_t dropout_stream(uint64_t seed, int64_t step, uint64_t use) {
  return philox_fold(philox_fold(seed, static_cast<uint64_t>(step)), use);
}

Value dropout(Value x, Value seed, Value step, Value key, float rate, uint64_t use, Site site = {});

}  // namespace lockstep
