// The settings of a run: one record per table of the TOML file. Everything the command knows about a key -
// its name, type, default, help - comes from these lists.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/fields.h"
#include "lockstep/models/all.h"
#include "lockstep/optim/optimizer.h"
#include "lockstep/optim/schedule.h"

namespace lockstep {

enum class DataKind { idx };
inline std::vector<std::string_view> names_of(DataKind) { return {"idx"}; }
/// What a training epoch does with samples that do not fill a batch.
enum class Remainder { drop, next_epoch };
inline std::vector<std::string_view> names_of(Remainder) { return {"drop", "next_epoch"}; }

/// [data]
struct DataSettings {
  DataKind kind = DataKind::idx;
  std::string folder = "/usr/share/datasets/fashion-mnist";
  std::string train_images = "train-images-idx3-ubyte", train_labels = "train-labels-idx1-ubyte";
  std::string test_images = "t10k-images-idx3-ubyte", test_labels = "t10k-labels-idx1-ubyte";
  int64_t classes = 10;
  std::vector<double> mean{0.5}, deviation{0.5};
  int64_t pad = 0;
  bool flip = false;
  int64_t workers = 1;
  int64_t ring_slots = 4;
  static constexpr auto attrs =
      fields(field("kind", &DataSettings::kind, "format of the data set"),
             field("folder", &DataSettings::folder, "folder of the files below"),
             field("train_images", &DataSettings::train_images, "IDX file, plain or with .gz"),
             field("train_labels", &DataSettings::train_labels, "IDX file of labels"),
             field("test_images", &DataSettings::test_images, "IDX file for evaluation"),
             field("test_labels", &DataSettings::test_labels, "IDX file of labels for evaluation"),
             field("classes", &DataSettings::classes, "labels run from 0 to classes - 1"),
             field("mean", &DataSettings::mean, "per channel, of pixel / 255"),
             field("deviation", &DataSettings::deviation, "per channel, of pixel / 255"),
             field("pad", &DataSettings::pad, "zeros around an image before a random crop; 0: no crop"),
             field("flip", &DataSettings::flip, "mirror half of the training images"),
             field("workers", &DataSettings::workers, "threads that prepare batches"),
             field("ring_slots", &DataSettings::ring_slots, "batches prepared ahead"));
};

/// [train]
struct TrainSettings {
  int64_t batch = 128;
  double epochs = 3;
  int64_t seed = 1;
  int64_t steps_per_call = 10;
  Remainder remainder = Remainder::drop;
  double label_smoothing = 0;
  double loss_scale = 1;
  static constexpr auto attrs = fields(
      field("batch", &TrainSettings::batch, "samples per step"),
      field("epochs", &TrainSettings::epochs, "passes over the training data; fractions allowed"),
      field("seed", &TrainSettings::seed, "of initial values, order, augmentation and dropout"),
      field("steps_per_call", &TrainSettings::steps_per_call, "steps the program runs without the host"),
      field("remainder", &TrainSettings::remainder, "samples that do not fill a batch: drop or next_epoch"),
      field("label_smoothing", &TrainSettings::label_smoothing,
            "share of the target spread over all classes"),
      field("loss_scale", &TrainSettings::loss_scale, "factor on the loss against underflow; 1: none"));
};

/// [evaluate]
struct EvaluateSettings {
  double every_epochs = 1;
  int64_t batch = 0;
  double until = 0;
  static constexpr auto attrs = fields(
      field("every_epochs", &EvaluateSettings::every_epochs,
            "evaluate each so many epochs; 0: only at the end"),
      field("batch", &EvaluateSettings::batch, "samples per evaluation step; 0: as in training"),
      field("until", &EvaluateSettings::until, "test accuracy at which training ends; 0: train all epochs"));
};

/// [checkpoint]
struct CheckpointSettings {
  int64_t every_steps = 0;
  int64_t keep = 2;
  static constexpr auto attrs = fields(field("every_steps", &CheckpointSettings::every_steps,
                                             "write one each so many steps; 0: after each evaluation"),
                                       field("keep", &CheckpointSettings::keep, "newest checkpoints kept"));
};

/// [target]
struct TargetSettings {
  std::string name = "cpu";
  int64_t threads = 0;
  bool in_double = false;
  std::vector<std::string> force, avoid;
  static constexpr auto attrs =
      fields(field("name", &TargetSettings::name, "cpu, or ref: the slow interpreter"),
             field("threads", &TargetSettings::threads, "0: as many as this process may use"),
             field("in_double", &TargetSettings::in_double, "ref only: compute in double"),
             field("force", &TargetSettings::force, "kernels taken wherever they fit"),
             field("avoid", &TargetSettings::avoid, "kernels never taken"));
};

struct Settings {
  std::string model_name = "resnet";  ///< [model] name: a family or a published model's short name
  Model model;                        ///< [model]: the other keys are the family's fields
  Optimizer optimizer;                ///< [optimizer] name and fields
  Schedule schedule;                  ///< [schedule] name and fields
  DataSettings data;
  TrainSettings train;
  EvaluateSettings evaluate;
  CheckpointSettings checkpoint;
  TargetSettings target;
};

/// Defaults <- file <- overrides "a.b=value", in that order; checked by check_settings. `origin` names the
/// text in errors. The value of an override is TOML; what is none is taken as a string. Unknown tables and
/// keys are errors with did-you-mean; a wrong type names key, line, got and want. A text without [model] is
/// refused.
Settings parse_settings(std::string_view toml_text, const std::string& origin,
                        const std::vector<std::string>& overrides);
/// Reads a file; a name that is no file but a model's short name gives that model's defaults.
Settings load_settings(const std::string& path_or_model, const std::vector<std::string>& overrides);
/// The override that sets a key to exactly this string, whatever characters it has.
std::string text_override(std::string_view table_and_key, std::string_view text);
/// The whole of it as TOML that reads back to the same settings.
std::string settings_text(const Settings& settings);
/// Throws a user error for values that make no sense (batch 0, negative epochs ...), naming the key.
void check_settings(const Settings& settings);

/// Field by field; `model_name` too.
bool operator==(const Settings& a, const Settings& b);

}  // namespace lockstep
