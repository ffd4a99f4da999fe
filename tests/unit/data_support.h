// A data set whose every byte is known.
#pragma once

#include <atomic>

#include "lockstep/base/error.h"
#include "lockstep/data/dataset.h"

namespace lockstep {

/// Images u8[2,2,3]; the label is the index modulo 1000. Throws a data error at record `bad`.
class CountingDataset final : public Dataset {
 public:
  explicit CountingDataset(int64_t size, int64_t bad = -1) : size_(size), bad_(bad) {}

  static uint8_t pixel(int64_t index, int64_t i) {
    return static_cast<uint8_t>(1 + (index * 31 + i * 7) % 255);
  }

  int64_t size() const override { return size_; }
  int64_t classes() const override { return 1000; }
  Type image_type() const override { return {DType::u8, {2, 2, 3}}; }
  void read(int64_t index, uint8_t* image, int32_t* label) const override {
    reads.fetch_add(1, std::memory_order_relaxed);
    if (index == bad_) throw data_error("record " + std::to_string(index) + " is bad").at("counting");
    for (int64_t i = 0; i < 12; ++i) image[i] = pixel(index, i);
    *label = static_cast<int32_t>(index % 1000);
  }

  mutable std::atomic<int64_t> reads{0};

 private:
  int64_t size_, bad_;
};

}  // namespace lockstep
