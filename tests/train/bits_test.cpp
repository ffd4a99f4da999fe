// The same model by another road: threads, calls, evaluations, stop and resume give equal files; the
// reference target gives nearly the same numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "lockstep/base/file.h"
#include "lockstep/formats/safetensors.h"
#include "lockstep/run/engine.h"
#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

/// 12 steps of a small residual network, with all that draws random numbers: order, crop, flip, dropout.
class TrainBits : public testing::Test {
 protected:
  static constexpr uint32_t side = 12;

  TrainBits() {
    write("train", 96, 1);
    write("t10k", 21, 2);
    Resnet net;
    net.width = 8;
    net.dropout = 0.1;
    settings_.model_name = "resnet";
    settings_.model = net;
    settings_.data.folder = (data_ / "").string();
    settings_.data.pad = 1;
    settings_.data.flip = true;
    settings_.optimizer = SgdOptimizer{.weight_decay = 1e-3};
    settings_.schedule = OneCycle{.rate = 0.05};
    settings_.train.batch = 8;
    settings_.train.epochs = 1;
    settings_.train.steps_per_call = 5;
    settings_.evaluate.every_epochs = 0;
    settings_.target.threads = 1;
  }

  /// Each class is a bright column of its own under noise.
  void write(const std::string& name, uint32_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::string pixels, labels;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t label = random() % 10;
      labels += static_cast<char>(label);
      for (uint32_t p = 0; p < side * side; ++p)
        pixels += static_cast<char>(random() % 100 + (p % side == label ? 150 : 0));
    }
    data_.write(name + "-images-idx3-ubyte", idx_bytes({count, side, side}, pixels));
    data_.write(name + "-labels-idx1-ubyte", idx_bytes({count}, labels));
  }

  TrainResult run(const std::string& out, int64_t max_steps = 0) {
    TrainOptions options;
    options.out = data_ / out;
    options.max_steps = max_steps;
    options.catch_signals = false;
    return train(settings_, options);
  }

  std::filesystem::path model_path(const std::string& out) const {
    return data_ / (out + "/model.safetensors");
  }
  std::string model(const std::string& out) const { return read_file(model_path(out)); }

  TempFolder data_;
  Settings settings_;
};

TEST_F(TrainBits, DoNotDependOnThreads) {
  auto result = run("one");
  EXPECT_EQ(result.steps, 12);
  for (int64_t threads : {2, 3}) {
    settings_.target.threads = threads;
    run(std::to_string(threads));
    EXPECT_EQ(model(std::to_string(threads)), model("one")) << threads << " threads";
  }
}

TEST_F(TrainBits, DoNotDependOnCallsEvaluationsAndDataThreads) {
  run("plain");
  settings_.train.steps_per_call = 1;
  settings_.evaluate.every_epochs = 0.25;
  settings_.evaluate.batch = 5;
  settings_.data.workers = 3;
  settings_.data.ring_slots = 2;
  run("other");
  EXPECT_EQ(model("other"), model("plain"));
}

TEST_F(TrainBits, DoNotDependOnStopAndResume) {
  run("whole");
  for (int64_t at : {1, 4, 7, 11}) {
    std::string out = "stopped" + std::to_string(at);
    EXPECT_EQ(run(out, at).steps, at);
    EXPECT_EQ(run(out).steps, 12);
    EXPECT_EQ(model(out), model("whole")) << "stopped at " << at;
  }
}

TEST_F(TrainBits, DependOnTheSeed) {
  run("a", 1);
  settings_.train.seed = 2;
  run("b", 1);
  EXPECT_NE(model("a"), model("b"));
}

/// Greatest difference of any variable, in units of the variable's largest element.
double distance(const SafetensorsFile& a, const SafetensorsFile& b) {
  double worst = 0;
  EXPECT_EQ(a.tensors().size(), b.tensors().size());
  for (const auto& x : a.tensors()) {
    const auto* y = b.find(x.name);
    if (y == nullptr || y->type != x.type) return INFINITY;
    double largest = 0, difference = 0;
    for (int64_t i = 0; i < x.type.elements(); ++i) {
      float u, v;
      std::memcpy(&u, x.data + 4 * i, 4);
      std::memcpy(&v, y->data + 4 * i, 4);
      largest = std::max({largest, std::fabs(static_cast<double>(u)), std::fabs(static_cast<double>(v))});
      difference = std::max(difference, std::fabs(static_cast<double>(u) - v));
    }
    if (largest > 0) worst = std::max(worst, difference / largest);
  }
  return worst;
}

TEST_F(TrainBits, TheReferenceTargetAgrees) {
  auto cpu = run("cpu", 2);
  settings_.target.name = "ref";
  auto ref = run("ref", 2);
  EXPECT_LT(distance(SafetensorsFile(model_path("cpu")), SafetensorsFile(model_path("ref"))), 1e-4);
  EXPECT_NEAR(cpu.value, ref.value, 1e-9);
}

TEST_F(TrainBits, EvaluatingTheFilesGivesWhatTrainingSaid) {
  auto result = run("a", 6);
  for (const char* weights : {"a", "a/checkpoint-00000006.ckpt"}) {
    auto again = evaluate(settings_, data_ / weights);
    EXPECT_EQ(again.samples, 21);
    EXPECT_EQ(again.accuracy, result.value) << weights;
  }
}

TEST_F(TrainBits, AHopelessRateIsReportedWithStepAndLayer) {
  settings_.schedule = ConstantRate{.rate = 1e30};
  Error e = error_of([&] { run("a"); });
  expect_error(e, ErrorKind::user, {"not finite", "step ", "of layer '", "lower the learning rate"});
}

}  // namespace
}  // namespace lockstep
