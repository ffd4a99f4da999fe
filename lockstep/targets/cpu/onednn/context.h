// What all oneDNN kernels share. oneDNN is called single-threaded, on parts of the batch that do not depend
// on the number of threads: its own OpenMP threads would give other bits for another thread count.
#pragma once

#include <array>
#include <dnnl.hpp>
#include <memory>
#include <vector>

#include "lockstep/targets/cpu/kernel.h"

// Of OpenMP's runtime, which oneDNN is built on, only these two: its header comes with the compiler that made
// it.
extern "C" {
void omp_set_num_threads(int threads);
int omp_get_max_threads(void);
}

namespace lockstep::cpu {

/// While it lives, this thread's OpenMP team is one thread.
class SingleThreaded {
 public:
  SingleThreaded() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~SingleThreaded() { omp_set_num_threads(before_); }
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;

 private:
  int before_;
};

/// A memory object whose address follows a cell.
class BoundMemory {
 public:
  BoundMemory() = default;
  BoundMemory(const dnnl::memory::desc& desc, const dnnl::engine& engine) : memory_(desc, engine, nullptr) {}
  dnnl_memory_t at(void* address) {
    if (address != address_) {
      memory_.set_data_handle(address);
      address_ = address;
    }
    return memory_.get();
  }

 private:
  dnnl::memory memory_;
  void* address_ = nullptr;
};

struct OneDnn {
  explicit OneDnn(int threads) : engine(dnnl::engine::kind::cpu, 0) {
    for (int t = 0; t < threads; ++t) streams.emplace_back(engine);
  }
  dnnl::engine engine;
  std::vector<dnnl::stream> streams;  ///< by member
};

/// One argument of a primitive: which cell, how far into it part p lies.
struct PrimitiveArgument {
  int name = 0;  ///< DNNL_ARG_...
  Ref ref;
  int64_t part_bytes = 0;
  bool by_member = false;             ///< scratchpads: offset by the running thread instead of the part
  std::vector<BoundMemory> memories;  ///< by part, or by member
};

/// A primitive executed on each part with its own memory objects.
struct PartedPrimitive {
  std::shared_ptr<OneDnn> library;
  dnnl::primitive primitive;
  std::vector<PrimitiveArgument> arguments;

  void add(int name, Ref ref, const dnnl::memory::desc& desc, int64_t parts, int64_t part_bytes);
  /// Scratchpad in the arena, one per member.
  void add_scratchpad(CallSink& sink, const dnnl::memory::desc& desc);
  /// Emits the call; `self` is kept by the sink.
  static void emit(std::shared_ptr<PartedPrimitive> self, CallSink& sink, int64_t parts);
};

/// Emits a one-part reorder between two descriptions of the same tensor.
void emit_reorder(const std::shared_ptr<OneDnn>& library, Ref from, const dnnl::memory::desc& from_desc,
                  Ref to, const dnnl::memory::desc& to_desc, CallSink& sink);

/// Largest divisor of `images` that leaves at least `parts` parts (or single images).
int64_t images_per_part(int64_t images, int64_t parts);

}  // namespace lockstep::cpu
