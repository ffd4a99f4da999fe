// One pool of our own: a team of threads that walk the same list of work together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace lockstep {

/// Threads this process may use: affinity mask, cgroup CPU quota (rounded up) and OMP_NUM_THREADS, the least
/// of them.
int usable_threads();

/// All members wait until all have come. Spins briefly, then blocks (at once when `spins` is 0:
/// oversubscribed).
class Barrier {
 public:
  Barrier(int members, int spins) : members_(members), spins_(spins) {}
  void wait() noexcept;

 private:
  const int members_, spins_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint32_t> round_{0};
};

/// `size` threads, the caller of run() being number 0. Pinned one per processor of the affinity mask unless
/// there are more members than processors.
class Team {
 public:
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }
  /// Calls job(context, member) once on each member and returns when all are done. Allocates nothing.
  using Job = void (*)(void* context, int member);
  void run(Job job, void* context) noexcept;
  Barrier& barrier() { return barrier_; }

 private:
  void member_loop(int member);
  const int size_;
  Barrier barrier_;
  Job job_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<int> running_{0};
  std::atomic<bool> stop_{false};
  int spins_;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep
