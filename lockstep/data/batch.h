// Which sample stands in which row of which batch, and the filling of one batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lockstep/data/augment.h"
#include "lockstep/data/dataset.h"

namespace lockstep {

struct BatchRow {
  int64_t epoch = 0;
  int64_t index = 0;  ///< in the data set; 0 when not valid
  bool valid = false;
  bool operator==(const BatchRow&) const = default;
};

/// Pure: batch b of a run can be made by anyone at any time.
struct BatchPlan {
  /// What becomes of the samples that do not fill a batch at the end of an epoch.
  enum class Remainder {
    drop,        ///< they are left out of this epoch
    next_epoch,  ///< the batch is filled up from the next epoch
    mask,        ///< the batch is filled up with rows of mask 0
  };

  int64_t size = 0;   ///< samples in the data set
  int64_t batch = 0;  ///< rows in a batch
  bool shuffle = false;
  Remainder remainder = Remainder::drop;
  uint64_t seed = 0;

  /// Throws a user error on sizes below 1 and on a batch that `drop` would leave without a single one.
  void check() const;
  /// Batches until `epochs` epochs have been seen whole. With next_epoch the last one may reach into the
  /// next.
  int64_t batches_for(int64_t epochs) const;
  int64_t batches_per_epoch() const { return batches_for(1); }
  /// Row j, 0 <= j < batch, of batch b >= 0.
  BatchRow row(int64_t b, int64_t j) const;
  std::vector<BatchRow> rows(int64_t b) const;
};

const std::vector<std::string_view>& names_of(BatchPlan::Remainder);

/// Where one batch goes: image u8 (batch,C,H,W), label i32 (batch), mask f32 (batch), key u64 (batch).
struct BatchBuffers {
  uint8_t* image = nullptr;
  int32_t* label = nullptr;
  float* mask = nullptr;
  uint64_t* key = nullptr;
};

/// Makes batches; one per thread, with room of its own, so that filling a batch allocates nothing.
class BatchMaker {
 public:
  /// `dataset` and `plan` outlive the maker.
  BatchMaker(const Dataset& dataset, const BatchPlan& plan, const std::optional<Augment>& augment);
  /// Fills every byte of batch b; rows that are not valid become zeros. Throws what the data set throws.
  void fill(int64_t b, const BatchBuffers& to);

 private:
  const Dataset& dataset_;
  const BatchPlan& plan_;
  std::optional<Augment> augment_;
  Type image_;
  std::vector<uint8_t> original_;  ///< an image before augmentation
};

/// One batch, with a maker of its own.
void fill_batch(const Dataset& dataset, const BatchPlan& plan, const std::optional<Augment>& augment,
                int64_t b, const BatchBuffers& to);

}  // namespace lockstep
