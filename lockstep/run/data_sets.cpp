#include "lockstep/run/data_sets.h"

#include <filesystem>

#include "lockstep/data/idx_dataset.h"

namespace lockstep {
namespace {

std::shared_ptr<const Dataset> open_idx(const DataSettings& data, const std::string& images,
                                        const std::string& labels) {
  std::filesystem::path folder(data.folder);
  return std::make_shared<IdxDataset>(folder / images, folder / labels, data.classes);
}

}  // namespace

std::shared_ptr<const Dataset> open_test_data(const Settings& settings) {
  return open_idx(settings.data, settings.data.test_images, settings.data.test_labels);
}

DataSets open_data(const Settings& settings) {
  const auto& data = settings.data;
  DataSets sets{open_idx(data, data.train_images, data.train_labels), open_test_data(settings)};
  if (sets.train->image_type() != sets.test->image_type())
    throw data_error("the images for training and evaluation differ")
        .at(data.folder)
        .but(type_text(sets.test->image_type()) + " in " + data.test_images,
             type_text(sets.train->image_type()) + " as in " + data.train_images);
  return sets;
}

BatchPlan training_plan(const Settings& settings, int64_t train_size) {
  using Rest = BatchPlan::Remainder;
  bool drop = settings.train.remainder == Remainder::drop;
  return {.size = train_size,
          .batch = settings.train.batch,
          .shuffle = true,
          .remainder = drop ? Rest::drop : Rest::next_epoch,
          .seed = static_cast<uint64_t>(settings.train.seed)};
}

BatchPlan evaluation_plan(const Settings& settings, int64_t test_size) {
  int64_t batch = settings.evaluate.batch > 0 ? settings.evaluate.batch : settings.train.batch;
  return {.size = test_size,
          .batch = batch,
          .shuffle = false,
          .remainder = BatchPlan::Remainder::mask,
          .seed = 0};
}

std::optional<Augment> augment_of(const Settings& settings) {
  if (settings.data.pad == 0 && !settings.data.flip) return std::nullopt;
  return Augment{settings.data.pad, settings.data.flip};
}

}  // namespace lockstep
