#include "lockstep/data/order.h"

#include <bit>

#include "lockstep/base/error.h"
#include "lockstep/base/philox.h"

namespace lockstep {
namespace {

constexpr uint64_t kOrderKey = 0x6f72646572u;  // "order": no other use of the seed draws from this key

/// Twelve rounds, where four would do for long halves (Luby and Rackoff 1988): with halves of one bit, the
/// case of sizes up to 4, the bias of a pair of positions halves with every round.
constexpr int kRounds = 12;

}  // namespace

int64_t ordered_index(uint64_t seed, int64_t epoch, int64_t position, int64_t size) {
  LS_CHECK(size > 0 && size <= (int64_t{1} << 62) && position >= 0 && position < size && epoch >= 0,
           "a position outside the data set");
  if (size == 1) return 0;
  // A balanced Feistel network permutes [0, 4^half); from a value beyond `size` walk on along its cycle,
  // which leads back below `size` and so is a permutation of [0, size). The domain is less than 4 * size:
  // under 4 walks on average.
  const int half = (std::bit_width(static_cast<uint64_t>(size - 1)) + 1) / 2;
  const uint64_t mask = (uint64_t{1} << half) - 1;
  const uint64_t key = philox_fold(philox_fold(seed, kOrderKey), static_cast<uint64_t>(epoch));
  auto value = static_cast<uint64_t>(position);
  do {
    uint64_t left = value >> half, right = value & mask;
    for (int round = 0; round < kRounds; ++round) {
      uint64_t mixed = left ^ (philox(key, right, static_cast<uint64_t>(round))[0] & mask);
      left = right;
      right = mixed;
    }
    value = left << half | right;
  } while (value >= static_cast<uint64_t>(size));
  return static_cast<int64_t>(value);
}

}  // namespace lockstep
