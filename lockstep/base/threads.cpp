#include "lockstep/base/threads.h"

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace lockstep {
namespace {

std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> list;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int p = 0; p < CPU_SETSIZE; ++p)
      if (CPU_ISSET(p, &set)) list.push_back(p);
  if (list.empty()) list.push_back(0);
  return list;
}

/// CPUs granted by the cgroup (v2 cpu.max, v1 cfs quota), or a large number.
double cgroup_quota() {
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2) {
    std::string quota;
    double period = 0;
    if (v2 >> quota >> period && quota != "max" && period > 0) return std::atof(quota.c_str()) / period;
  }
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"),
      v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (v1_quota >> quota && v1_period >> period && quota > 0 && period > 0) return quota / period;
  return 1e9;
}

constexpr int spins_when_alone = 4000;

template <class Done>
void spin_then_block(const std::atomic<uint32_t>& word, uint32_t old, int spins, Done done) noexcept {
  for (int i = 0; i < spins; ++i) {
    if (done()) return;
    _mm_pause();
  }
  while (!done()) word.wait(old, std::memory_order_acquire);
}

}  // namespace

int usable_threads() {
  double limit = static_cast<double>(allowed_processors().size());
  limit = std::min(limit, std::max(1.0, cgroup_quota() + 0.999));
  if (const char* omp = std::getenv("OMP_NUM_THREADS"); omp != nullptr && std::atoi(omp) > 0)
    limit = std::min(limit, static_cast<double>(std::atoi(omp)));
  return std::max(1, static_cast<int>(limit));
}

void Barrier::wait() noexcept {
  uint32_t round = round_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
    return;
  }
  spin_then_block(round_, round, spins_, [&] { return round_.load(std::memory_order_acquire) != round; });
}

Team::Team(int size)
    : size_(std::max(1, size)),
      barrier_(size_, static_cast<size_t>(size_) > allowed_processors().size() ? 0 : spins_when_alone),
      spins_(static_cast<size_t>(size_) > allowed_processors().size() ? 0 : spins_when_alone) {
  auto processors = allowed_processors();
  for (int m = 1; m < size_; ++m) {
    threads_.emplace_back([this, m] { member_loop(m); });
    pthread_setname_np(threads_.back().native_handle(), ("step-" + std::to_string(m)).c_str());
    if (static_cast<size_t>(size_) <= processors.size()) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(processors[m], &set);
      pthread_setaffinity_np(threads_.back().native_handle(), sizeof set, &set);
    }
  }
}

Team::~Team() {
  stop_.store(true);
  generation_.fetch_add(1, std::memory_order_acq_rel);
  generation_.notify_all();
  for (auto& t : threads_) t.join();
}

void Team::member_loop(int member) {
  uint32_t seen = 0;
  for (;;) {
    spin_then_block(generation_, seen, spins_,
                    [&] { return generation_.load(std::memory_order_acquire) != seen; });
    seen = generation_.load(std::memory_order_acquire);
    if (stop_.load()) return;
    job_(context_, member);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_all();
  }
}

void Team::run(Job job, void* context) noexcept {
  job_ = job;
  context_ = context;
  running_.store(size_ - 1, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_acq_rel);
  generation_.notify_all();
  job(context, 0);
  for (int left = running_.load(std::memory_order_acquire); left > 0;
       left = running_.load(std::memory_order_acquire))
    running_.wait(left, std::memory_order_acquire);
}

}  // namespace lockstep
