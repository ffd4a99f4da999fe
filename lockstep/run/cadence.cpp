#include "lockstep/run/cadence.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// First evaluation after `step`.
int64_t next_evaluation(const Cadence& cadence, int64_t step) {
  double every = cadence.evaluate_every;
  if (!(every > 0)) return cadence.end;
  if (every < 1) return step + 1;  // more often than each step is each step
  double k = std::floor(static_cast<double>(step) / every);
  while (std::llround(k * every) <= step) ++k;
  return std::min<int64_t>(std::llround(k * every), cadence.end);
}

int64_t next_checkpoint(const Cadence& cadence, int64_t step) {
  int64_t every = cadence.checkpoint_every;
  return every > 0 ? std::min((step / every + 1) * every, cadence.end) : cadence.end;
}

}  // namespace

bool Cadence::evaluates_at(int64_t step) const {
  return step == end || (step > 0 && next_evaluation(*this, step - 1) == step);
}

bool Cadence::checkpoints_at(int64_t step) const {
  if (step == end || checkpoint_every == 0) return evaluates_at(step);
  return step > 0 && step % checkpoint_every == 0;
}

int64_t Cadence::next_stop(int64_t step) const {
  return std::min({step + steps_per_call, next_evaluation(*this, step), next_checkpoint(*this, step), end});
}

}  // namespace lockstep
