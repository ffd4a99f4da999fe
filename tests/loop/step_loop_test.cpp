// The step loop allocates nothing and takes no lock: 100 steps with the allocator and the mutex of this
// process replaced by counting ones. Calls are told apart by who made them (our code, a library) and on which
// thread.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "lockstep/passes/pass.h"
#include "lockstep/program/training.h"
#include "lockstep/run/feed.h"
#include "lockstep/run/initial.h"
#include "lockstep/targets/target.h"

namespace {

enum Who { ours, library, kinds };
struct Counts {
  std::atomic<long> allocations[kinds], locks[kinds];
};
std::atomic<bool> counting{false};
Counts step_threads, data_threads;

/// Text segment of this executable, in which all of our own code lies.
struct Segment {
  uintptr_t begin = 0, end = 0;
};
Segment own_segment;

int find_own_segment(dl_phdr_info* info, size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& h = info->dlpi_phdr[i];
    if (h.p_type == PT_LOAD && (h.p_flags & PF_X) != 0)
      own_segment = {info->dlpi_addr + h.p_vaddr, info->dlpi_addr + h.p_vaddr + h.p_memsz};
  }
  return 1;  // the first object is the executable
}

void note(bool lock, const void* caller) {
  if (!counting.load(std::memory_order_relaxed)) return;
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  auto& counts = std::strncmp(name, "data", 4) == 0 ? data_threads : step_threads;
  auto at = reinterpret_cast<uintptr_t>(caller);
  Who who = at >= own_segment.begin && at < own_segment.end ? ours : library;
  (lock ? counts.locks : counts.allocations)[who].fetch_add(1, std::memory_order_relaxed);
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOCKSTEP_FOREIGN_ALLOCATOR 1  // the sanitizer owns malloc
#else
// glibc's own entry points stand behind ours.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t n) {
  note(false, __builtin_return_address(0));
  return __libc_malloc(n);
}
void* calloc(size_t n, size_t m) {
  note(false, __builtin_return_address(0));
  return __libc_calloc(n, m);
}
void* realloc(void* p, size_t n) {
  note(false, __builtin_return_address(0));
  return __libc_realloc(p, n);
}
int posix_memalign(void** p, size_t a, size_t n) {
  note(false, __builtin_return_address(0));
  *p = __libc_memalign(a, n);
  return *p == nullptr ? 12 : 0;
}
void* aligned_alloc(size_t a, size_t n) {
  note(false, __builtin_return_address(0));
  return __libc_memalign(a, n);
}
int pthread_mutex_lock(pthread_mutex_t* m) {
  static const auto real = next<int (*)(pthread_mutex_t*)>("pthread_mutex_lock");
  note(true, __builtin_return_address(0));
  return real(m);
}
}

void* operator new(size_t n) {
  note(false, __builtin_return_address(0));
  void* p = __libc_malloc(n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(size_t n, std::align_val_t a) {
  note(false, __builtin_return_address(0));
  void* p = __libc_memalign(static_cast<size_t>(a), n);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
#endif

namespace lockstep {
namespace {

/// Images made by formula: no file is read, so what is counted is the loop.
class Formula final : public Dataset {
 public:
  int64_t size() const override { return 640; }
  int64_t classes() const override { return 10; }
  Type image_type() const override { return {DType::u8, {1, 16, 16}}; }
  void read(int64_t index, uint8_t* image, int32_t* label) const override {
    for (int64_t i = 0; i < 256; ++i) image[i] = static_cast<uint8_t>(index * 31 + i * 7);
    *label = static_cast<int32_t>(index % 10);
  }
};

TEST(StepLoop, AllocatesNothingAndTakesNoLock) {
#if defined(LOCKSTEP_FOREIGN_ALLOCATOR)
  GTEST_SKIP() << "the sanitizer owns the allocator";
#endif
  Task task;
  Resnet net;
  net.blocks = {1, 1};
  net.width = 8;
  net.dropout = 0.1;
  task.model = net;
  task.batch = 32;
  task.image = {DType::u8, {1, 16, 16}};
  task.mean = {0.5f};
  task.deviation = {0.5f};
  task.rates.assign(200, 0.01f);
  auto graph = training_graph(task);
  run_passes(graph);
  Bundle bundle;
  bundle.name = "step_loop";
  add_program(bundle, graph, "train", {.steps_per_call = 10, .ring_slots = 4});
  run_passes(bundle);
  auto executable = target_named("cpu").lower(bundle, {.threads = 2});
  initialise(*executable, 1);
  BatchPlan plan{
      .size = 640, .batch = 32, .shuffle = true, .remainder = BatchPlan::Remainder::drop, .seed = 1};
  Feed feed(bundle.program("train"), std::make_shared<Formula>(), plan, Augment{.pad = 2, .flip = true}, 1);
  executable->connect(0, &feed);
  feed.start(0, 120);
  ASSERT_TRUE(executable->run(0, 0, 10).ok);  // first touches of pages and of the library's own caches
  dl_iterate_phdr(find_own_segment, nullptr);

  counting = true;
  for (int64_t first = 10; first < 110; first += 10) {
    (void)getppid();  // a mark for strace: what stands between two of them is one call of 10 steps
    auto result = executable->run(0, first, 10);
    (void)getppid();
    if (!result.ok) break;
  }
  counting = false;
  feed.stop();
  std::printf(
      "100 steps, step threads: %ld allocations and %ld locks by our code, %ld and %ld by libraries\n",
      step_threads.allocations[ours].load(), step_threads.locks[ours].load(),
      step_threads.allocations[library].load(), step_threads.locks[library].load());
  std::printf(
      "            data threads: %ld allocations and %ld locks by our code, %ld and %ld by libraries\n",
      data_threads.allocations[ours].load(), data_threads.locks[ours].load(),
      data_threads.allocations[library].load(), data_threads.locks[library].load());
  EXPECT_EQ(step_threads.allocations[ours].load(), 0);
  EXPECT_EQ(step_threads.locks[ours].load(), 0);
  EXPECT_EQ(data_threads.allocations[ours].load(), 0);
  EXPECT_EQ(data_threads.locks[ours].load(), 0);
  for (const auto& c : executable->choices()) EXPECT_NE(c.kernel, "eval") << c.ops << " of layer " << c.layer;
}

}  // namespace
}  // namespace lockstep
