// Keeps a ring full: worker threads that make batches ahead of the step loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "lockstep/data/batch.h"
#include "lockstep/data/ring.h"

namespace lockstep {

/// The bytes delivered depend on data set, plan and augmentation only, never on slots, workers or where a run
/// began.
class Feeder {
 public:
  struct Options {
    int64_t slots = 4;
    int workers = 1;
  };

  /// The streams of the ring, in their order.
  enum Stream { image, label, mask, sample_key };

  /// Allocates the ring; starts nothing. Throws a user error when plan, augmentation or options make no
  /// sense.
  Feeder(std::shared_ptr<const Dataset> dataset, const BatchPlan& plan, const std::optional<Augment>& augment,
         const Options& options);
  ~Feeder();  ///< stops
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;

  const std::vector<StreamSpec>& streams() const { return streams_; }
  const BatchPlan& plan() const { return plan_; }
  Ring& ring() { return ring_; }

  /// Starts making batches [first, last); stops what ran before. Batches not yet consumed are dropped.
  void start(int64_t first, int64_t last);
  /// Closes the ring and joins the workers; a fault they met stays in the ring. The consumer must not be
  /// waiting for more. Safe to call at any time and twice.
  void stop();

 private:
  void work(int worker, int64_t last) noexcept;
  BatchBuffers buffers(int64_t b);

  std::shared_ptr<const Dataset> dataset_;
  BatchPlan plan_;
  std::optional<Augment> augment_;
  int workers_;
  std::vector<StreamSpec> streams_;
  Ring ring_;
  std::atomic<int64_t> next_{0};
  std::vector<std::thread> threads_;
};

}  // namespace lockstep
