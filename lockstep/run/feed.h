// Joins the data's ring to a program's streams.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lockstep/data/feeder.h"
#include "lockstep/targets/target.h"

namespace lockstep {

/// The streams of a program, filled by data threads. Made for one program; connect it to the executable once.
class Feed final : public StreamSource {
 public:
  /// Joins by name: image, label, mask, sample_key. Throws a user error when the program has a stream of
  /// another name, or the data are not of its type, or what the feeder refuses.
  Feed(const Program& program, std::shared_ptr<const Dataset> dataset, const BatchPlan& plan,
       const std::optional<Augment>& augment, int workers);

  std::byte* base(int stream) override;
  int64_t slot_bytes(int stream) const override;
  bool wait_full(int64_t b) noexcept override { return feeder_.ring().wait_full(b); }
  void release(int64_t b) noexcept override { feeder_.ring().release(b); }

  /// Batches [first, last) from now on.
  void start(int64_t first, int64_t last) { feeder_.start(first, last); }
  void stop() { feeder_.stop(); }
  /// Throws the fault that closed the streams, if there is one.
  void rethrow() { feeder_.ring().rethrow(); }

  const BatchPlan& plan() const { return feeder_.plan(); }
  double waited_seconds() { return feeder_.ring().waited_seconds(); }
  int64_t bytes() { return feeder_.ring().bytes(); }

 private:
  Feeder feeder_;
  std::vector<int> ring_stream_;  // by stream of the program
};

}  // namespace lockstep
