#include "lockstep/data/ring.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;

int64_t& word(Ring& ring, int64_t b) { return *reinterpret_cast<int64_t*>(ring.at(0, b)); }

TEST(Ring, LaysStreamsOutInOneAlignedBlock) {
  Ring ring(3, {100, 64, 0, 1});
  EXPECT_EQ(ring.streams(), 4);
  EXPECT_EQ(ring.slot_bytes(0), 128);
  EXPECT_EQ(ring.slot_bytes(1), 64);
  EXPECT_EQ(ring.slot_bytes(2), 0);
  EXPECT_EQ(ring.slot_bytes(3), 64);
  EXPECT_EQ(ring.bytes(), 3 * (128 + 64 + 64));
  EXPECT_EQ(ring.base(1), ring.base(0) + 3 * 128);
  EXPECT_EQ(ring.at(0, 7), ring.base(0) + 128);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(ring.base(0)) % 64, 0u);
  for (int64_t i = 0; i < ring.bytes(); ++i) ASSERT_EQ(ring.base(0)[i], 0);
}

TEST(Ring, RefusesImpossibleSizes) {
  EXPECT_THROW(Ring(0, {1}), Error);
  expect_error(error_of([] { Ring(4, {int64_t{1} << 62}); }), ErrorKind::user, {"too large"});
  expect_error(error_of([] { Ring(4, {INT64_MAX}); }), ErrorKind::user, {"too large"});
}

TEST(Ring, HandsBatchesOverInOrder) {
  constexpr int64_t first = 5, batches = 5000;
  for (int64_t slots : {1, 2, 7}) {
    Ring ring(slots, {8});
    ring.reset(first, first + batches);
    std::thread producer([&] {
      for (int64_t b = first; b < first + batches && ring.wait_empty(b); ++b) {
        word(ring, b) = b * b;
        ring.publish(b);
      }
    });
    for (int64_t b = first; b < first + batches; ++b) {
      ASSERT_TRUE(ring.wait_full(b));
      ASSERT_EQ(word(ring, b), b * b);
      ring.release(b);
    }
    EXPECT_FALSE(ring.wait_full(first + batches));
    producer.join();
  }
}

TEST(Ring, ProducersMayFinishInAnyOrder) {
  Ring ring(4, {8});
  for (int64_t b : {2, 0, 3, 1}) {
    ASSERT_TRUE(ring.wait_empty(b));
    word(ring, b) = b;
    ring.publish(b);
  }
  for (int64_t b = 0; b < 4; ++b) {
    ASSERT_TRUE(ring.wait_full(b));
    EXPECT_EQ(word(ring, b), b);
    ring.release(b);
  }
  EXPECT_EQ(ring.blocked_waits(), 0);
  EXPECT_EQ(ring.waited_seconds(), 0);
}

TEST(Ring, CountsWhatTheConsumerWaited) {
  Ring ring(2, {8});
  std::atomic<bool> waiting{false};
  std::thread producer([&] {
    waiting.wait(false);
    std::this_thread::sleep_for(20ms);
    ring.publish(0);
  });
  waiting = true;
  waiting.notify_one();
  EXPECT_TRUE(ring.wait_full(0));
  producer.join();
  EXPECT_EQ(ring.blocked_waits(), 1);
  EXPECT_GT(ring.waited_seconds(), 0.01);
}

TEST(Ring, CloseWakesEveryone) {
  Ring ring(2, {8});
  ring.publish(0);
  std::vector<std::thread> waiting;
  std::atomic<int> refused{0};
  for (int64_t b : {2, 3, 4})
    waiting.emplace_back(
        [&, b] { refused += !ring.wait_empty(b + (b == 3)); });  // 2, 4 and 4: their slot is taken
  waiting.emplace_back([&] { refused += !ring.wait_full(1); });
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(refused, 0);
  ring.close();
  ring.close();
  for (auto& thread : waiting) thread.join();
  EXPECT_EQ(refused, 4);
  EXPECT_FALSE(ring.wait_full(0)) << "a closed ring gives nothing more";
  ring.rethrow();  // nothing to throw
}

TEST(Ring, FirstFaultReachesTheConsumer) {
  Ring ring(2, {8});
  std::thread producer([&] {
    ring.fail(std::make_exception_ptr(data_error("first")));
    ring.fail(std::make_exception_ptr(data_error("second")));
  });
  EXPECT_FALSE(ring.wait_full(0));
  expect_error(error_of([&] { ring.rethrow(); }), ErrorKind::data, {"first"});
  producer.join();
  ring.reset(3);
  ring.rethrow();
  EXPECT_TRUE(ring.wait_empty(4));
}

TEST(Ring, StartsAnywhereEvenFarOut) {
  int64_t first = (int64_t{1} << 40) + 3;  // the turn no longer fits its word and wraps
  Ring ring(3, {8});
  ring.reset(first);
  for (int64_t b = first; b < first + 10; ++b) {
    ASSERT_TRUE(ring.wait_empty(b));
    ring.publish(b);
    ASSERT_TRUE(ring.wait_full(b));
    ring.release(b);
  }
  EXPECT_EQ(ring.blocked_waits(), 0);
}

}  // namespace
}  // namespace lockstep
