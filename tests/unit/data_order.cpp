#include "lockstep/data/order.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "lockstep/base/error.h"

namespace lockstep {
namespace {

std::vector<int64_t> order(uint64_t seed, int64_t epoch, int64_t size) {
  std::vector<int64_t> out;
  for (int64_t p = 0; p < size; ++p) out.push_back(ordered_index(seed, epoch, p, size));
  return out;
}

double chi_square(const std::vector<int64_t>& counts, double expected) {
  double sum = 0;
  for (auto n : counts)
    sum += (static_cast<double>(n) - expected) * (static_cast<double>(n) - expected) / expected;
  return sum;
}

TEST(DataOrder, IsAPermutation) {
  for (int64_t size : {1, 2, 3, 4, 5, 7, 16, 17, 64, 65, 1000, 60000}) {
    for (int64_t epoch = 0; epoch < (size < 100 ? 20 : 1); ++epoch) {
      std::vector<bool> seen(static_cast<size_t>(size));
      for (int64_t i : order(7, epoch, size)) {
        ASSERT_TRUE(i >= 0 && i < size);
        ASSERT_FALSE(seen[static_cast<size_t>(i)]) << "index " << i << " of " << size << " twice";
        seen[static_cast<size_t>(i)] = true;
      }
    }
  }
}

TEST(DataOrder, ReachesToTheLargestSize) {
  int64_t size = int64_t{1} << 62;
  for (int64_t p : {int64_t{0}, int64_t{1}, size / 3, size - 1}) {
    int64_t i = ordered_index(1, 2, p, size);
    EXPECT_TRUE(i >= 0 && i < size);
  }
}

TEST(DataOrder, DiffersPerEpochAndSeedAndRepeats) {
  EXPECT_EQ(order(1, 0, 1000), order(1, 0, 1000));
  EXPECT_NE(order(1, 0, 1000), order(1, 1, 1000));
  EXPECT_NE(order(1, 1, 1000), order(1, 2, 1000));
  EXPECT_NE(order(1, 0, 1000), order(2, 0, 1000));
  int64_t same = 0;  // two random orders of n agree in one place on average
  auto a = order(1, 0, 1000), b = order(1, 1, 1000);
  for (size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
  EXPECT_LT(same, 10);
}

// A change here changes the meaning of every seed and breaks resumed runs: it needs a new checkpoint version.
TEST(DataOrder, IsFixedForAllTime) {
  EXPECT_EQ(order(42, 3, 8), (std::vector<int64_t>{3, 0, 7, 1, 6, 5, 4, 2}));
}

TEST(DataOrder, EveryPlaceIsUniform) {
  constexpr int64_t size = 10, epochs = 4000;
  std::vector<std::vector<int64_t>> counts(size, std::vector<int64_t>(size));
  for (int64_t e = 0; e < epochs; ++e)
    for (int64_t p = 0; p < size; ++p)
      ++counts[static_cast<size_t>(p)][static_cast<size_t>(ordered_index(5, e, p, size))];
  for (const auto& place : counts) EXPECT_LT(chi_square(place, epochs / 10.0), 33.7);  // 9 degrees, p = 1e-4
}

TEST(DataOrder, WholePermutationsAreUniform) {
  constexpr int64_t epochs = 24000;
  std::map<std::vector<int64_t>, int64_t> seen;
  for (int64_t e = 0; e < epochs; ++e) ++seen[order(11, e, 4)];
  ASSERT_EQ(seen.size(), 24u);
  std::vector<int64_t> counts;
  for (const auto& [permutation, n] : seen) counts.push_back(n);
  EXPECT_LT(chi_square(counts, 1000), 58.6);  // 23 degrees, p = 6e-5
}

TEST(DataOrder, RefusesPlacesOutside) {
  EXPECT_THROW(ordered_index(1, 0, 5, 5), Error);
  EXPECT_THROW(ordered_index(1, 0, -1, 5), Error);
  EXPECT_THROW(ordered_index(1, 0, 0, 0), Error);
}

}  // namespace
}  // namespace lockstep
