#include "lockstep/data/feeder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <random>

#include "lockstep/base/hash.h"
#include "lockstep/data/idx_dataset.h"
#include "tests/unit/data_support.h"
#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using Remainder = BatchPlan::Remainder;
using namespace std::chrono_literals;

BatchPlan training_plan(int64_t size) {
  return {.size = size, .batch = 16, .shuffle = true, .remainder = Remainder::next_epoch, .seed = 21};
}

std::unique_ptr<Feeder> feeder(std::shared_ptr<const Dataset> data, const BatchPlan& plan, int64_t slots,
                               int workers, std::optional<Augment> augment = Augment{1, true}) {
  return std::make_unique<Feeder>(std::move(data), plan, augment, Feeder::Options{slots, workers});
}

/// Consumes [first, last) and hashes every byte of every stream.
std::string hash_of(Feeder& f, int64_t first, int64_t last) {
  Sha256 hash;
  f.start(first, last);
  for (int64_t b = first; b < last; ++b) {
    if (!f.ring().wait_full(b)) return "closed at " + std::to_string(b);
    for (int s = 0; s < f.ring().streams(); ++s) {
      auto bytes = f.streams()[static_cast<size_t>(s)].sample.bytes() * f.plan().batch;
      hash.add(f.ring().at(s, b), static_cast<size_t>(bytes));
    }
    f.ring().release(b);
  }
  return hash.finish();
}

TEST(Feeder, BytesDependNeitherOnWorkersNorOnSlots) {
  auto data = std::make_shared<CountingDataset>(1001);
  auto plan = training_plan(1001);
  std::string want = hash_of(*feeder(data, plan, 1, 1), 0, 150);
  ASSERT_EQ(want.size(), 64u) << want;
  for (int workers : {1, 2, 5})
    for (int64_t slots : {1, 3, 8}) EXPECT_EQ(hash_of(*feeder(data, plan, slots, workers), 0, 150), want);
  EXPECT_NE(hash_of(*feeder(data, plan, 4, 2, {}), 0, 150), want);
}

TEST(Feeder, ResumeDeliversTheSameBytes) {
  auto data = std::make_shared<CountingDataset>(333);
  auto plan = training_plan(333);
  auto whole = feeder(data, plan, 3, 2), resumed = feeder(data, plan, 4, 5);
  std::vector<std::string> each;
  for (int64_t b = 0; b < 60; ++b) each.push_back(hash_of(*whole, b, b + 1));  // 60 starts and stops
  for (int64_t b0 : {0, 1, 20, 21, 59}) {
    resumed->start(b0, 60);
    for (int64_t b = b0; b < 60; ++b) {
      ASSERT_TRUE(resumed->ring().wait_full(b));
      Sha256 hash;
      for (int s = 0; s < 4; ++s) {
        auto bytes = resumed->streams()[static_cast<size_t>(s)].sample.bytes() * plan.batch;
        hash.add(resumed->ring().at(s, b), static_cast<size_t>(bytes));
      }
      EXPECT_EQ(hash.finish(), each[static_cast<size_t>(b)]);
      resumed->ring().release(b);
    }
  }
}

TEST(Feeder, EvaluationCountsEverySampleOnce) {
  auto data = std::make_shared<CountingDataset>(10'000);
  BatchPlan plan{.size = 10'000, .batch = 128, .remainder = Remainder::mask};
  auto f = feeder(data, plan, 4, 2, {});
  ASSERT_EQ(plan.batches_per_epoch(), 79);
  f->start(0, 79);
  std::vector<int> seen(10'000);
  for (int64_t b = 0; b < 79; ++b) {
    ASSERT_TRUE(f->ring().wait_full(b));
    const auto* mask = reinterpret_cast<const float*>(f->ring().at(Feeder::mask, b));
    const auto* key = reinterpret_cast<const uint64_t*>(f->ring().at(Feeder::sample_key, b));
    const auto* label = reinterpret_cast<const int32_t*>(f->ring().at(Feeder::label, b));
    for (int64_t j = 0; j < 128; ++j) {
      if (mask[j] == 0) continue;
      ++seen[key[j]];
      EXPECT_EQ(label[j], static_cast<int32_t>(key[j] % 1000));
    }
    f->ring().release(b);
  }
  EXPECT_EQ(seen, std::vector<int>(10'000, 1));
  EXPECT_FALSE(f->ring().wait_full(79)) << "the end of the range is told, not waited for";
  f->stop();
  EXPECT_EQ(data->reads, 10'000);
}

TEST(Feeder, FaultOfARecordReachesTheConsumer) {
  for (int workers : {1, 2, 5}) {
    auto f = feeder(std::make_shared<CountingDataset>(100, 37), {.size = 100, .batch = 8}, 3, workers);
    f->start(0, 12);
    int64_t b = 0;
    for (; f->ring().wait_full(b); ++b) f->ring().release(b);
    EXPECT_LE(b, 4);
    expect_error(error_of([&] { f->ring().rethrow(); }), ErrorKind::data, {"record 37 is bad"});
    f->stop();
    EXPECT_THROW(f->ring().rethrow(), Error) << "a stop does not forget the fault";
    f->start(5, 12);
    EXPECT_TRUE(f->ring().wait_full(5)) << "a start does";
  }
}

TEST(Feeder, StopsAtAnyTime) {
  auto data = std::make_shared<CountingDataset>(1000);
  std::mt19937 random(5);
  auto f = feeder(data, training_plan(1000), 3, 3);
  f->stop();
  EXPECT_FALSE(f->ring().wait_full(0)) << "not started";
  for (int round = 0; round < 100; ++round) {
    f->start(round, round + 1000);
    auto consumed = static_cast<int64_t>(random() % 5);
    for (int64_t b = round; b < round + consumed; ++b) {
      ASSERT_TRUE(f->ring().wait_full(b));
      f->ring().release(b);
    }
    if (random() % 2) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    f->stop();
    EXPECT_FALSE(f->ring().wait_full(round + consumed));
  }
  f->start(0, 10);  // and destroyed while running
}

TEST(Feeder, StopFromAnotherThreadEndsTheConsumersWait) {
  auto data = std::make_shared<CountingDataset>(100);
  for (int round = 0; round < 50; ++round) {
    auto f = feeder(data, training_plan(100), 2, 2);
    f->start(0, 1'000'000);
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(round * 20));
      f->ring().close();
    });
    int64_t b = 0;
    for (; f->ring().wait_full(b); ++b) f->ring().release(b);
    host.join();
  }
}

TEST(Feeder, WorkersAreNamedAndSleepWhenTheRingIsFull) {
  auto data = std::make_shared<CountingDataset>(1000);
  auto f = feeder(data, training_plan(1000), 2, 2);
  f->start(0, 100);
  ASSERT_TRUE(f->ring().wait_full(0));
  ASSERT_TRUE(f->ring().wait_full(1));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(data->reads, 32) << "two batches fill two slots";
  std::clock_t before = std::clock();
  std::this_thread::sleep_for(50ms);
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.02) << "spinning";
  int named = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm") >> std::ws, name);
    named += name == "data-0" || name == "data-1";
  }
  EXPECT_EQ(named, 2);
}

TEST(Feeder, RefusesSettingsThatMakeNoSense) {
  auto data = std::make_shared<CountingDataset>(10);
  BatchPlan plan{.size = 10, .batch = 4};
  expect_error(error_of([&] { feeder(data, plan, 0, 1); }), ErrorKind::user, {"slots"});
  expect_error(error_of([&] { feeder(data, plan, 1, 0); }), ErrorKind::user, {"too few data threads"});
  expect_error(error_of([&] { feeder(data, plan, 1, 1, Augment{9, false}); }), ErrorKind::user, {"pad"});
  expect_error(error_of([&] { feeder(data, {.size = 9, .batch = 4}, 1, 1); }), ErrorKind::bug,
               {"another data set"});
  expect_error(error_of([&] { feeder(data, {.size = 10, .batch = 11}, 1, 1); }), ErrorKind::user, {"larger"});
}

TEST(Feeder, FeedsFashionMnist) {
  std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";  // Debian's dataset-fashion-mnist
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  auto data =
      std::make_shared<IdxDataset>(folder / "t10k-images-idx3-ubyte", folder / "t10k-labels-idx1-ubyte", 10);
  BatchPlan plan{
      .size = data->size(), .batch = 128, .shuffle = true, .remainder = Remainder::drop, .seed = 1};
  EXPECT_EQ(hash_of(*feeder(data, plan, 4, 1, Augment{2, true}), 0, 78),
            hash_of(*feeder(data, plan, 2, 3, Augment{2, true}), 0, 78));
}

}  // namespace
}  // namespace lockstep
