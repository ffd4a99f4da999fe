// From settings to a bundle: the programs "train" and "eval" over the same variables.
#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/config/settings.h"
#include "lockstep/passes/pass.h"
#include "lockstep/program/training.h"
#include "lockstep/run/data_sets.h"

namespace lockstep {

/// What the programs depend on in the data.
struct DataFacts {
  int64_t train_size = 0, test_size = 0;  ///< samples
  Type image;                             ///< one sample, u8 (channels, height, width)
  int64_t classes = 0;
  int64_t resident_bytes = 0;  ///< memory both data sets keep
};

DataFacts facts_of(const DataSets& sets);
/// Opens the data sets the settings name. Where their files are missing and `needed` is false: the image and
/// the classes the named model is published for, 60000 and 10000 samples.
DataFacts facts_of(const Settings& settings, bool needed = true);

/// How long the training is.
struct Length {
  double epoch_steps = 0;       ///< steps in an epoch; a fraction with remainder = next_epoch
  int64_t steps_per_epoch = 0;  ///< the same rounded up
  int64_t total_steps = 0;      ///< 1 at least
};
/// drop: total = round(epochs * floor(size / batch)); next_epoch: the steps until so many epochs are seen
/// whole. Throws a user error naming both numbers when the batch is larger than the data and would be
/// dropped.
Length length_of(const Settings& settings, int64_t train_size);

/// The task with its table of learning rates. A single mean or deviation stands for all channels.
Task task_of(const Settings& settings, const DataFacts& facts);

struct Compiled {
  Bundle bundle;
  std::vector<PassReport> reports;  ///< in the order in which the passes ran: train, eval, bundle
  int64_t steps_per_epoch = 0, total_steps = 0;
  double epoch_steps = 0;  ///< see Length
  double seconds = 0;      ///< it took
};

/// Builds both graphs, runs the graph passes on each, makes the programs, runs the bundle passes. Where
/// `options` stop after a graph pass, the programs are those of the graphs as they then are.
Compiled compile(const Settings& settings, const DataFacts& facts, const PipelineOptions& options = {});
/// The same with the program "eval" alone; its variables are the model's.
Compiled compile_evaluation(const Settings& settings, const DataFacts& facts,
                            const PipelineOptions& options = {});

}  // namespace lockstep
