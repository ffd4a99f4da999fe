#include "lockstep/data/batch.h"

#include <cstring>

#include "lockstep/base/error.h"
#include "lockstep/data/order.h"

namespace lockstep {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace

const std::vector<std::string_view>& names_of(BatchPlan::Remainder) {
  static const std::vector<std::string_view> names{"drop", "next_epoch", "mask"};
  return names;
}

void BatchPlan::check() const {
  if (size < 1) throw user_error("the data set is empty");
  if (batch < 1) throw user_error("the batch is too small").but(std::to_string(batch), "1 at least");
  if (remainder == Remainder::drop && batch > size)
    throw user_error("the batch is larger than the data set, so that remainder = drop leaves nothing")
        .but("a batch of " + std::to_string(batch), std::to_string(size) + " at most")
        .advise("make the batch smaller or set remainder to next_epoch");
}

int64_t BatchPlan::batches_for(int64_t epochs) const {
  switch (remainder) {
    case Remainder::drop:
      return epochs * (size / batch);
    case Remainder::next_epoch:
      return ceil_div(epochs * size, batch);
    case Remainder::mask:
      break;
  }
  return epochs * ceil_div(size, batch);
}

BatchRow BatchPlan::row(int64_t b, int64_t j) const {
  int64_t epoch, position;
  if (remainder == Remainder::next_epoch) {
    epoch = (b * batch + j) / size;
    position = (b * batch + j) % size;
  } else {
    int64_t per_epoch = batches_per_epoch();
    epoch = b / per_epoch;
    position = b % per_epoch * batch + j;
  }
  if (position >= size) return {epoch, 0, false};
  return {epoch, shuffle ? ordered_index(seed, epoch, position, size) : position, true};
}

std::vector<BatchRow> BatchPlan::rows(int64_t b) const {
  std::vector<BatchRow> rows;
  for (int64_t j = 0; j < batch; ++j) rows.push_back(row(b, j));
  return rows;
}

BatchMaker::BatchMaker(const Dataset& dataset, const BatchPlan& plan, const std::optional<Augment>& augment)
    : dataset_(dataset),
      plan_(plan),
      augment_(augment),
      image_(dataset.image_type()),
      original_(augment ? static_cast<size_t>(image_.bytes()) : 0) {}

void BatchMaker::fill(int64_t b, const BatchBuffers& to) {
  const auto bytes = static_cast<size_t>(image_.bytes());
  for (int64_t j = 0; j < plan_.batch; ++j) {
    const BatchRow row = plan_.row(b, j);
    uint8_t* out = to.image + static_cast<size_t>(j) * bytes;
    to.mask[j] = row.valid ? 1.0f : 0.0f;
    to.key[j] = static_cast<uint64_t>(row.index);
    to.label[j] = 0;
    if (!row.valid) {
      std::memset(out, 0, bytes);
      continue;
    }
    dataset_.read(row.index, augment_ ? original_.data() : out, to.label + j);
    if (augment_)
      augment_image(*augment_, plan_.seed, row.epoch, row.index, image_.shape, original_.data(), out);
  }
}

void fill_batch(const Dataset& dataset, const BatchPlan& plan, const std::optional<Augment>& augment,
                int64_t b, const BatchBuffers& to) {
  BatchMaker(dataset, plan, augment).fill(b, to);
}

}  // namespace lockstep
