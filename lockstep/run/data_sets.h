// The data sets of a run, opened as the settings say.
#pragma once

#include <memory>
#include <optional>

#include "lockstep/config/settings.h"
#include "lockstep/data/augment.h"
#include "lockstep/data/batch.h"
#include "lockstep/data/dataset.h"

namespace lockstep {

struct DataSets {
  std::shared_ptr<const Dataset> train, test;
};

/// Throws a user error when a file is missing, a data error when one is not sound or when the images of the
/// two sets differ in size.
DataSets open_data(const Settings& settings);
std::shared_ptr<const Dataset> open_test_data(const Settings& settings);

/// Batches of training: shuffled by the run's seed. Batch b is that of step b, counted from 0.
BatchPlan training_plan(const Settings& settings, int64_t train_size);
/// Batches of an evaluation: every sample once, in the order of the data set; the last batch is filled up
/// with rows of mask 0.
BatchPlan evaluation_plan(const Settings& settings, int64_t test_size);
/// How training images are changed; evaluation leaves them as they are.
std::optional<Augment> augment_of(const Settings& settings);

}  // namespace lockstep
