// A data set of two IDX files, as MNIST and Fashion-MNIST are published.
#pragma once

#include <filesystem>

#include "lockstep/data/dataset.h"
#include "lockstep/formats/idx.h"

namespace lockstep {

/// Grey images u8[1,H,W] with one label each, held in memory.
class IdxDataset final : public Dataset {
 public:
  /// Reads `images` (N,H,W) and `labels` (N), each under the path given or with ".gz" behind it. Throws a
  /// user error when a file is missing, a data error when a file is not sound, the two do not match, there
  /// are no samples, or a label is not below `classes`.
  IdxDataset(const std::filesystem::path& images, const std::filesystem::path& labels, int64_t classes);

  int64_t size() const override { return labels_.shape[0]; }
  int64_t classes() const override { return classes_; }
  Type image_type() const override { return {DType::u8, {1, images_.shape[1], images_.shape[2]}}; }
  void read(int64_t index, uint8_t* image, int32_t* label) const override;
  int64_t resident_bytes() const override {
    return static_cast<int64_t>(images_.bytes.size() + labels_.bytes.size());
  }

 private:
  IdxArray images_, labels_;
  int64_t classes_;
};

}  // namespace lockstep
