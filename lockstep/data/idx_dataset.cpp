#include "lockstep/data/idx_dataset.h"

#include <fmt/format.h>

#include <cstring>

#include "lockstep/base/error.h"
#include "lockstep/formats/byte_source.h"

namespace lockstep {
namespace {

using Path = std::filesystem::path;

/// `path`, or `path`.gz when only that exists.
Path existing(const Path& path) {
  if (std::filesystem::exists(path)) return path;
  Path packed = path.string() + ".gz";
  if (std::filesystem::exists(packed)) return packed;
  throw user_error("data file not found")
      .at(path.string())
      .but("no such file", "it or " + packed.filename().string())
      .advise("check the data folder in the configuration");
}

void check_rank(const IdxArray& array, const Path& path, size_t rank, const char* want) {
  if (array.shape.size() != rank)
    throw data_error("wrong number of dimensions")
        .at(byte_place(path, 3, array.gzip))
        .but(shape_text(array.shape), want);
}

void check_labels(const IdxArray& labels, const Path& path, int64_t classes) {
  for (size_t i = 0; i < labels.bytes.size(); ++i) {
    if (labels.bytes[i] < classes) continue;
    throw data_error(fmt::format("label {} of record {} is out of range", labels.bytes[i], i))
        .at(byte_place(path, labels.header_bytes() + static_cast<int64_t>(i), labels.gzip))
        .but(std::to_string(labels.bytes[i]), fmt::format("0 to {}", classes - 1));
  }
}

}  // namespace

IdxDataset::IdxDataset(const Path& images, const Path& labels, int64_t classes) : classes_(classes) {
  LS_CHECK(classes > 0, "a data set needs classes");
  Path image_path = existing(images), label_path = existing(labels);
  images_ = read_idx(image_path);
  check_rank(images_, image_path, 3, "images of (count, height, width)");
  labels_ = read_idx(label_path);
  check_rank(labels_, label_path, 1, "labels of (count)");
  if (images_.shape[0] != labels_.shape[0])
    throw data_error("images and labels do not match")
        .at(image_path.string() + " and " + label_path.string())
        .but(fmt::format("{} images and {} labels", images_.shape[0], labels_.shape[0]), "as many of each");
  if (elements(images_.shape) == 0)
    throw data_error("the data set is empty")
        .at(byte_place(image_path, 4, images_.gzip))
        .but(shape_text(images_.shape), "one image of one pixel at least");
  check_labels(labels_, label_path, classes);
}

void IdxDataset::read(int64_t index, uint8_t* image, int32_t* label) const {
  LS_CHECK(index >= 0 && index < size(), "an index outside the data set");
  auto bytes = static_cast<size_t>(images_.shape[1] * images_.shape[2]);
  std::memcpy(image, images_.bytes.data() + static_cast<size_t>(index) * bytes, bytes);
  *label = labels_.bytes[static_cast<size_t>(index)];
}

}  // namespace lockstep
