#include "lockstep/data/ring.h"

#include <cstring>
#include <new>

#include "lockstep/base/clock.h"
#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int kSpins = 64;  // about a microsecond: a batch just being published is worth no system call
constexpr uint32_t kClosed = 1;
constexpr uint32_t kTurnMask = 0x7fffffffu;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

Error too_large() {
  return user_error("the data ring is too large").but("2^63 bytes or more", "a smaller batch or fewer slots");
}

int64_t rounded_up(int64_t bytes) {
  LS_CHECK(bytes >= 0, "a stream of negative size");
  if (bytes > INT64_MAX - kAlignment) throw too_large();
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

void Ring::Free::operator()(uint8_t* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }

Ring::Ring(int64_t slots, const std::vector<int64_t>& batch_bytes) : slots_(slots) {
  LS_CHECK(slots >= 1, "a ring needs slots");
  for (int64_t bytes : batch_bytes) {
    int64_t stride = rounded_up(bytes), end;
    if (__builtin_mul_overflow(stride, slots, &end) || __builtin_add_overflow(bytes_, end, &end))
      throw too_large();
    streams_.push_back({bytes_, stride});
    bytes_ = end;
  }
  auto size = static_cast<size_t>(bytes_ > 0 ? bytes_ : kAlignment);
  memory_.reset(static_cast<uint8_t*>(::operator new (size, std::align_val_t{kAlignment}, std::nothrow)));
  if (!memory_)
    throw system_error("not enough memory for the data ring")
        .but(bytes_text(bytes_) + " asked for", "a smaller batch or fewer slots");
  std::memset(memory_.get(), 0, size);  // touches every page now, so that no step pays for it
  slots_state_ = std::make_unique<Slot[]>(static_cast<size_t>(slots));
  reset(0);
}

void Ring::reset(int64_t first, int64_t end) {
  LS_CHECK(first >= 0 && first <= end, "batches that run backwards");
  end_ = end;
  fault_ = nullptr;
  fault_state_.store(0);
  for (int64_t b = first; b - first < slots_; ++b) slot(b).word.store(turn(b) << 1);
}

/// True once the slot stands at `turn`, false once it is closed.
bool Ring::wait_for(Slot& slot, uint32_t turn, bool* slept) noexcept {
  for (int spins = 0;; ++spins) {
    uint32_t word = slot.word.load(std::memory_order_acquire);
    if (word & kClosed) return false;
    if (word >> 1 == (turn & kTurnMask)) return true;
    if (spins < kSpins) {
      relax();
      continue;
    }
    *slept = true;
    slot.word.wait(word, std::memory_order_acquire);
  }
}

bool Ring::wait_empty(int64_t b) noexcept {
  bool slept = false;
  return wait_for(slot(b), turn(b), &slept);
}

void Ring::publish(int64_t b) noexcept {
  slot(b).word.fetch_add(2, std::memory_order_release);
  slot(b).word.notify_all();
}

bool Ring::wait_full(int64_t b) noexcept {
  if (b >= end_) return false;
  uint32_t word = slot(b).word.load(std::memory_order_acquire);
  if (word == ((turn(b) + 1) << 1)) return true;  // the usual case costs one load and reads no clock
  Stopwatch watch;
  bool slept = false;
  bool full = wait_for(slot(b), turn(b) + 1, &slept);
  waited_seconds_.store(waited_seconds() + watch.seconds(), std::memory_order_relaxed);
  if (slept) blocked_waits_.store(blocked_waits() + 1, std::memory_order_relaxed);
  return full;
}

/// Leaves the slot awaiting the batch one round later: turn + 1 is the turn of b + slots.
void Ring::release(int64_t b) noexcept {
  slot(b).word.fetch_add(2, std::memory_order_release);
  slot(b).word.notify_all();
}

void Ring::close() noexcept {
  for (int64_t s = 0; s < slots_; ++s) {
    slot(s).word.fetch_or(kClosed, std::memory_order_acq_rel);
    slot(s).word.notify_all();
  }
}

void Ring::fail(std::exception_ptr fault) noexcept {
  int none = 0;
  if (fault_state_.compare_exchange_strong(none, 1)) {
    fault_ = std::move(fault);
    fault_state_.store(2, std::memory_order_release);
  }
  close();
}

void Ring::rethrow() const {
  if (fault_state_.load(std::memory_order_acquire) == 2) std::rethrow_exception(fault_);
}

}  // namespace lockstep
