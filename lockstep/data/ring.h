// The ring between data threads and the step loop: a fixed number of slots, each holding one batch of every
// stream. Handing over is one atomic word per slot; the consumer takes no lock and allocates nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

namespace lockstep {

/// Batch b lives in slot b % slots. Many producers, each batch made by one; one consumer, in order of
/// batches.
class Ring {
 public:
  /// One allocation, aligned to 64 bytes and zeroed. `batch_bytes` are the bytes of a batch in each stream.
  /// Throws a system error when there is not so much memory.
  Ring(int64_t slots, const std::vector<int64_t>& batch_bytes);
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  int64_t slots() const { return slots_; }
  int streams() const { return static_cast<int>(streams_.size()); }
  /// Slot 0 of a stream; slot s lies slot_bytes(stream) * s behind it.
  uint8_t* base(int stream) const { return memory_.get() + streams_[static_cast<size_t>(stream)].offset; }
  int64_t slot_bytes(int stream) const { return streams_[static_cast<size_t>(stream)].slot_bytes; }
  uint8_t* at(int stream, int64_t b) const { return base(stream) + b % slots_ * slot_bytes(stream); }
  int64_t bytes() const { return bytes_; }  ///< of all slots of all streams

  /// Opens the ring for batches [first, end), all slots empty, without fault; nobody may be using it. The
  /// counters go on.
  void reset(int64_t first, int64_t end = std::numeric_limits<int64_t>::max());

  /// Waits until the slot of batch b is free for it; false once the ring is closed.
  bool wait_empty(int64_t b) noexcept;
  void publish(int64_t b) noexcept;

  /// Waits for batch b; false when it will not come: the ring is closed or failed, or b is beyond the end.
  bool wait_full(int64_t b) noexcept;
  void release(int64_t b) noexcept;

  /// Ends all waits, now and to come; any thread may call it, and more than once.
  void close() noexcept;
  /// Stores the first fault and closes.
  void fail(std::exception_ptr fault) noexcept;
  /// Throws the stored fault, if there is one. For the host thread, after wait_full said no.
  void rethrow() const;

  double waited_seconds() const {
    return waited_seconds_.load(std::memory_order_relaxed);
  }  ///< by the consumer
  int64_t blocked_waits() const {
    return blocked_waits_.load(std::memory_order_relaxed);
  }  ///< that had to sleep

 private:
  struct Stream {
    int64_t offset, slot_bytes;
  };
  /// word = 2 * turn + closed, where turn = 2 * (b / slots) while batch b is awaited and one more while it is
  /// there. All changes are additions and the closing bit, so a close is never overwritten.
  struct alignas(64) Slot {
    std::atomic<uint32_t> word{0};
  };
  struct Free {
    void operator()(uint8_t* p) const;
  };

  Slot& slot(int64_t b) const { return slots_state_[static_cast<size_t>(b % slots_)]; }
  uint32_t turn(int64_t b) const { return static_cast<uint32_t>(2 * (b / slots_)); }
  static bool wait_for(Slot& slot, uint32_t turn, bool* slept) noexcept;

  int64_t slots_;
  int64_t bytes_ = 0;
  std::vector<Stream> streams_;
  std::unique_ptr<uint8_t[], Free> memory_;
  std::unique_ptr<Slot[]> slots_state_;
  int64_t end_ = 0;
  std::atomic<int> fault_state_{0};  // 0 none, 1 being stored, 2 stored
  std::exception_ptr fault_;
  std::atomic<double> waited_seconds_{0};
  std::atomic<int64_t> blocked_waits_{0};
};

}  // namespace lockstep
