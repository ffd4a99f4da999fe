// The order of samples as a function: nothing is shuffled, so nothing has to be remembered.
#pragma once

#include <cstdint>

namespace lockstep {

/// The index that stands at `position` in epoch `epoch`: for each (seed, epoch) a permutation of [0, size),
/// in constant time and without state. Needs 0 <= position < size <= 2^62.
int64_t ordered_index(uint64_t seed, int64_t epoch, int64_t position, int64_t size);

}  // namespace lockstep
