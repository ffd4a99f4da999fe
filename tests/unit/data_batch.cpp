#include "lockstep/data/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/unit/data_support.h"
#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using Remainder = BatchPlan::Remainder;

TEST(BatchPlan, DropLeavesTheShortBatchOut) {
  BatchPlan plan{.size = 10, .batch = 4, .remainder = Remainder::drop};
  EXPECT_EQ(plan.batches_per_epoch(), 2);
  EXPECT_EQ(plan.batches_for(3), 6);
  EXPECT_EQ(plan.rows(1), (std::vector<BatchRow>{{0, 4, true}, {0, 5, true}, {0, 6, true}, {0, 7, true}}));
  EXPECT_EQ(plan.row(2, 0), (BatchRow{1, 0, true}));
}

TEST(BatchPlan, NextEpochRunsOn) {
  BatchPlan plan{.size = 10, .batch = 4, .remainder = Remainder::next_epoch};
  EXPECT_EQ(plan.batches_per_epoch(), 3);
  EXPECT_EQ(plan.batches_for(2), 5);
  EXPECT_EQ(plan.rows(2), (std::vector<BatchRow>{{0, 8, true}, {0, 9, true}, {1, 0, true}, {1, 1, true}}));
  plan.batch = 25;  // more than two epochs in a batch
  EXPECT_EQ(plan.row(0, 24), (BatchRow{2, 4, true}));
  plan.check();
}

TEST(BatchPlan, MaskFillsUp) {
  BatchPlan plan{.size = 10, .batch = 4, .remainder = Remainder::mask};
  EXPECT_EQ(plan.batches_per_epoch(), 3);
  EXPECT_EQ(plan.rows(2), (std::vector<BatchRow>{{0, 8, true}, {0, 9, true}, {0, 0, false}, {0, 0, false}}));
  EXPECT_EQ(plan.row(3, 0), (BatchRow{1, 0, true}));
}

TEST(BatchPlan, EveryEpochHoldsEverySampleOnceWhenShuffled) {
  for (Remainder remainder : {Remainder::next_epoch, Remainder::mask}) {
    BatchPlan plan{.size = 101, .batch = 8, .shuffle = true, .remainder = remainder, .seed = 3};
    std::map<int64_t, std::multiset<int64_t>> seen;
    for (int64_t b = 0; b < plan.batches_for(3); ++b)
      for (const auto& row : plan.rows(b))
        if (row.valid) seen[row.epoch].insert(row.index);
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      ASSERT_EQ(seen[epoch].size(), 101u);
      EXPECT_EQ((std::set<int64_t>(seen[epoch].begin(), seen[epoch].end()).size()), 101u);
    }
    EXPECT_NE(plan.row(0, 0).index, 0);
  }
}

TEST(BatchPlan, RefusesWhatCannotBe) {
  auto refuse = [](BatchPlan plan, const char* part) {
    expect_error(error_of([&] { plan.check(); }), ErrorKind::user, {part});
  };
  refuse({.size = 0, .batch = 1}, "empty");
  refuse({.size = 5, .batch = 0}, "too small");
  refuse({.size = 5, .batch = 6}, "larger than the data set");
  BatchPlan{.size = 5, .batch = 6, .remainder = Remainder::mask}.check();
  EXPECT_EQ(field_text(Remainder::next_epoch), "next_epoch");
}

struct Batch {
  explicit Batch(size_t n) : image(n * 12, 0xee), label(n, -7), mask(n, -7), key(n, 7) {}
  BatchBuffers buffers() { return {image.data(), label.data(), mask.data(), key.data()}; }
  std::vector<uint8_t> image;
  std::vector<int32_t> label;
  std::vector<float> mask;
  std::vector<uint64_t> key;
};

TEST(FillBatch, FillsEveryByte) {
  CountingDataset data(5);
  BatchPlan plan{.size = 5, .batch = 3, .remainder = Remainder::mask};
  Batch batch(3);
  fill_batch(data, plan, {}, 1, batch.buffers());
  EXPECT_EQ(batch.label, (std::vector<int32_t>{3, 4, 0}));
  EXPECT_EQ(batch.mask, (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(batch.key, (std::vector<uint64_t>{3, 4, 0}));
  EXPECT_TRUE(std::all_of(batch.image.begin() + 24, batch.image.end(), [](uint8_t x) { return x == 0; }));
  EXPECT_EQ(batch.image[0], CountingDataset::pixel(3, 0));
  EXPECT_EQ(batch.image[23], CountingDataset::pixel(4, 11));
}

TEST(FillBatch, AugmentsByEpochAndIndexNotByPlace) {
  CountingDataset data(40);
  Augment augment{.pad = 1, .flip = true};
  BatchPlan wide{.size = 40, .batch = 40, .shuffle = true, .seed = 9}, narrow = wide;
  narrow.batch = 1;
  Batch all(40);
  fill_batch(data, wide, augment, 1, all.buffers());
  for (int64_t j = 0; j < 40; ++j) {
    Batch one(1);
    fill_batch(data, narrow, augment, 40 + j, one.buffers());
    EXPECT_TRUE(std::equal(one.image.begin(), one.image.end(), all.image.begin() + j * 12));
  }
  Batch plain(40);
  fill_batch(data, wide, {}, 1, plain.buffers());
  EXPECT_NE(plain.image, all.image);
  EXPECT_EQ(plain.key, all.key);
}

}  // namespace
}  // namespace lockstep
