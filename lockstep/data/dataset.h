// What a data set is: samples by index, readable by many threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/base/shape.h"

namespace lockstep {

/// One stream from the data side into a program; a batch holds `batch` samples one after another.
struct StreamSpec {
  std::string name;
  Type sample;
  bool operator==(const StreamSpec&) const = default;
};

/// Random access, stateless and thread-safe.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  virtual int64_t classes() const = 0;
  /// u8[C,H,W], the same for all samples.
  virtual Type image_type() const = 0;
  /// Writes image_type().bytes() bytes and a label in [0, classes). Throws a data error naming file, record
  /// and byte.
  virtual void read(int64_t index, uint8_t* image, int32_t* label) const = 0;
  /// Memory this data set keeps for as long as it lives.
  virtual int64_t resident_bytes() const { return 0; }
};

/// What a batch of `dataset` consists of, in this order: image u8[C,H,W], label i32[], mask f32[] (1 for a
/// sample, 0 for a row that only fills up the batch), sample_key u64[] (the index in the data set).
std::vector<StreamSpec> sample_streams(const Dataset& dataset);

}  // namespace lockstep
