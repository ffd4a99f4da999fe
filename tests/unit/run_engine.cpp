#include "lockstep/run/engine.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "lockstep/base/file.h"
#include "lockstep/run/compile.h"
#include "lockstep/run/resume.h"
#include "tests/unit/run_support.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using Calls = std::vector<FakeCall>;

struct Recorder final : Listener {
  std::vector<std::string> seen;
  std::vector<StepEvent> steps;
  std::vector<EvalEvent> evaluations;
  void on_start(const StartEvent& e) override { seen.push_back("start " + std::to_string(e.first_step)); }
  void on_step(const StepEvent& e) override { steps.push_back(e); }
  void on_evaluation(const EvalEvent& e) override {
    seen.push_back("evaluation " + std::to_string(e.step));
    evaluations.push_back(e);
  }
  void on_checkpoint(const CheckpointEvent& e) override {
    seen.push_back("checkpoint " + std::to_string(e.step));
  }
  void on_message(const MessageEvent& e) override { seen.push_back(e.text.substr(0, 18)); }
};

class RunEngine : public testing::Test {
 protected:
  RunEngine() {
    write_data(data_);
    settings_ = tiny_settings(data_);
  }

  TrainResult run(const std::string& out, std::function<void(TrainOptions&)> change = nullptr) {
    TrainOptions options;
    options.out = data_ / out;
    options.lower = fake_lower(target_);
    options.catch_signals = false;
    if (change) change(options);
    recorder_ = {};
    return train(settings_, options, {&recorder_});
  }

  Calls train_calls() const {
    Calls out;
    for (const auto& c : target_->calls)
      if (c.program == "train") out.push_back(c);
    return out;
  }

  std::string model(const std::string& out) { return read_file(data_ / (out + "/model.safetensors")); }

  /// Steps and evaluations ("e5") in metrics.jsonl.
  std::string metrics(const std::string& out) {
    std::string text;
    for (const auto& line : split(read_file(data_ / (out + "/metrics.jsonl")), '\n')) {
      if (line.empty()) continue;
      auto json = nlohmann::json::parse(line);
      text += (json["kind"] == "evaluation" ? " e" : " ") + std::to_string(json["step"].get<int64_t>());
    }
    return text;
  }

  TempFolder data_;
  Settings settings_;
  std::shared_ptr<FakeTarget> target_ = std::make_shared<FakeTarget>();
  Recorder recorder_;
};

const std::string all_metrics = " 1 2 3 4 5 e5 6 7 8 9 10 e10 11 12 13 14 15 e15";

TEST_F(RunEngine, CallsFollowOneAnotherAndStopWhereSomethingIsDue) {
  auto result = run("a");
  Calls want{{"train", 0, 3}, {"train", 3, 2},  {"train", 5, 3},
             {"train", 8, 2}, {"train", 10, 3}, {"train", 13, 2}};
  EXPECT_EQ(train_calls(), want);
  EXPECT_EQ(target_->calls[2], (FakeCall{"eval", 0, 2})) << "13 samples are two batches of 8";
  EXPECT_EQ(recorder_.seen,
            (std::vector<std::string>{"start 0", "evaluation 5", "checkpoint 5", "evaluation 10",
                                      "checkpoint 10", "evaluation 15", "checkpoint 15"}));
  EXPECT_EQ(metrics("a"), all_metrics);
  EXPECT_EQ(result.steps, 15);
  EXPECT_EQ(result.value, 0.5);
  EXPECT_TRUE(result.target_reached);
  EXPECT_FALSE(result.preempted);
  EXPECT_EQ(result.memory.arena_bytes, 12345);
  EXPECT_GT(result.host_bytes, 0);
  EXPECT_GT(result.peak_rss_bytes, 1 << 20);
  EXPECT_TRUE(fs::exists(data_ / "a/config.toml"));
  EXPECT_EQ(list_checkpoints(data_ / "a").size(), 2u) << "keep = 2";
}

TEST_F(RunEngine, EventsSayWhatTheStepSaid) {
  run("a");
  ASSERT_EQ(recorder_.steps.size(), 15u);
  const auto& third = recorder_.steps[2];
  EXPECT_EQ(third.step, 3);
  EXPECT_DOUBLE_EQ(third.epoch, 0.6);
  EXPECT_FLOAT_EQ(static_cast<float>(third.loss), 1.0f / 3);
  EXPECT_EQ(third.accuracy, 0.5);
  EXPECT_EQ(third.rate, 0.25);
  EXPECT_GT(third.samples_per_second, 0);
  EXPECT_EQ(recorder_.steps.back().seconds_left, 0);
  EXPECT_EQ(recorder_.evaluations.back().samples, 13);
  EXPECT_EQ(recorder_.evaluations.back().loss, 2);
  EXPECT_EQ(recorder_.evaluations.back().accuracy5, 1);
}

TEST_F(RunEngine, CallsAndEvaluationsDoNotChangeTheModel) {
  run("a");
  for (int64_t steps_per_call : {1, 2, 7, 100}) {
    settings_.train.steps_per_call = steps_per_call;
    settings_.data.ring_slots = 2 + steps_per_call % 3;
    settings_.evaluate.every_epochs = 0.3 * static_cast<double>(steps_per_call);
    settings_.evaluate.batch = steps_per_call;
    settings_.checkpoint.every_steps = steps_per_call % 5;
    run("b" + std::to_string(steps_per_call));
    EXPECT_EQ(model("b" + std::to_string(steps_per_call)), model("a"));
  }
}

TEST_F(RunEngine, StopAndResumeGivesTheSameModel) {
  run("a");
  settings_.train.steps_per_call = 1;
  for (int64_t at : {0, 1, 4, 5, 6, 10, 14, 15}) {
    std::string out = "stop" + std::to_string(at);
    bool stop = false;
    target_->before_call = [&](const FakeCall& c) {
      stop = stop || (c.program == "train" && c.first + c.count == at);
    };
    auto first = run(out, [&](TrainOptions& o) { o.stop = [&] { return stop || at == 0; }; });
    EXPECT_TRUE(first.preempted);
    EXPECT_EQ(first.steps, at);
    EXPECT_EQ(list_checkpoints(data_ / out).front().step, at);
    target_->before_call = nullptr;
    auto second = run(out);
    EXPECT_FALSE(second.preempted);
    EXPECT_EQ(second.steps, 15);
    EXPECT_EQ(model(out), model("a")) << "stopped at " << at;
    EXPECT_EQ(metrics(out), all_metrics) << "stopped at " << at;
  }
}

TEST_F(RunEngine, KilledAnywhereGivesTheSameModel) {
  run("a");
  settings_.checkpoint.every_steps = 4;
  for (int64_t at : {0, 3, 4, 7, 10, 13}) {
    std::string out = "kill" + std::to_string(at);
    pid_t child = ::fork();
    if (child == 0) {
      target_->before_call = [&](const FakeCall& c) {
        if (c.program == "train" && c.first + c.count > at) ::_exit(9);
      };
      run(out);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 9);
    run(out);
    EXPECT_EQ(model(out), model("a")) << "killed at " << at;
    EXPECT_EQ(metrics(out), all_metrics) << "killed at " << at;
  }
}

TEST_F(RunEngine, AFinishedRunIsNotTrainedAgain) {
  run("a");
  target_->calls.clear();
  auto again = run("a");
  EXPECT_TRUE(target_->calls.empty());
  EXPECT_EQ(again.value, 0.5);
  EXPECT_EQ(again.steps, 15);
  EXPECT_EQ(metrics("a"), all_metrics);
}

TEST_F(RunEngine, MaxStepsStopsEarlyAndGoesOnLater) {
  run("a");
  auto part = run("b", [](TrainOptions& o) { o.max_steps = 7; });
  EXPECT_EQ(part.steps, 7);
  EXPECT_FALSE(part.preempted);
  EXPECT_EQ(metrics("b"), " 1 2 3 4 5 e5 6 7 e7");
  run("b");
  EXPECT_EQ(model("b"), model("a"));
}

TEST_F(RunEngine, UntilEndsAtTheFirstEvaluationThatReachesIt) {
  settings_.evaluate.until = 0.6;
  target_->accuracy = [](int64_t step) { return step >= 10 ? 0.625 : 0.5; };
  auto result = run("a");
  EXPECT_TRUE(result.target_reached);
  EXPECT_EQ(result.steps, 10);
  EXPECT_EQ(result.value, 0.625);
  EXPECT_EQ(run("a").steps, 10) << "it stays reached";
  settings_.evaluate.until = 0.9;
  result = run("b");
  EXPECT_FALSE(result.target_reached);
  EXPECT_FALSE(result.preempted);
  EXPECT_EQ(result.steps, 15);
}

TEST_F(RunEngine, ASignalEndsTheCallAndWritesACheckpoint) {
  target_->before_call = [](const FakeCall& c) {
    if (c.first == 5) ::raise(SIGTERM);
  };
  auto result = run("a", [](TrainOptions& o) { o.catch_signals = true; });
  EXPECT_TRUE(result.preempted);
  EXPECT_FALSE(result.target_reached);
  EXPECT_EQ(result.steps, 8);
  EXPECT_EQ(list_checkpoints(data_ / "a").front().step, 8);
  EXPECT_FALSE(fs::exists(data_ / "a/model.safetensors"));
}

TEST_F(RunEngine, ALossThatIsNotFiniteNamesStepAndOp) {
  target_->non_finite_at = 8;
  expect_error(error_of([&] { run("a"); }), ErrorKind::user,
               {"the loss is not finite", "step 9", "fc1 (matmul)", "lower the learning rate"});
  EXPECT_EQ(list_checkpoints(data_ / "a").front().step, 5);
  EXPECT_EQ(metrics("a"), " 1 2 3 4 5 e5 6 7 8");
}

TEST_F(RunEngine, AFaultInAStepNamesItAndKeepsWhatCameBefore) {
  target_->fault_at = 6;
  expect_error(error_of([&] { run("a"); }), ErrorKind::system, {"step 7", "fc1 (matmul): no memory"});
  EXPECT_EQ(metrics("a"), " 1 2 3 4 5 e5 6");
}

TEST_F(RunEngine, ADataFaultKeepsItsOwnMessage) {
  std::string bad = idx_bytes({40}, std::string(40, '\x05'));
  bad[8 + 17] = 99;
  data_.write("train-labels-idx1-ubyte", bad);
  expect_error(error_of([&] { run("a"); }), ErrorKind::data, {"label 99 of record 17"});
  EXPECT_FALSE(fs::exists(data_ / "a")) << "what cannot begin leaves no folder";
}

TEST_F(RunEngine, EverySampleIsCounted) {
  target_->loses_a_sample = true;
  expect_error(error_of([&] { run("a"); }), ErrorKind::bug, {"every sample"});
}

TEST_F(RunEngine, ResumeChecksTheSettings) {
  run("a", [](TrainOptions& o) { o.max_steps = 5; });
  settings_.train.seed = 9;
  expect_error(error_of([&] { run("a"); }), ErrorKind::user, {"train.seed", "--resume none"});
  expect_error(error_of([&] { run("a", [](TrainOptions& o) { o.resume = "none"; }); }), ErrorKind::user,
               {"this folder holds a run"});
  settings_.train.seed = 1;
  settings_.model = Mlp{{5}, 0};
  expect_error(error_of([&] { run("a"); }), ErrorKind::user, {"another model", "fc1.weight"});
}

TEST_F(RunEngine, ResumesFromAPathIntoANewFolder) {
  run("a");
  run("b", [](TrainOptions& o) { o.max_steps = 10; });
  run("c", [&](TrainOptions& o) { o.resume = (data_ / "b").string(); });
  EXPECT_EQ(model("c"), model("a"));
  EXPECT_EQ(metrics("c"), " 11 12 13 14 15 e15");
}

TEST_F(RunEngine, EvaluatesCheckpointsModelsAndFolders) {
  run("a");
  for (const char* weights : {"a", "a/model.safetensors", "a/checkpoint-00000010.ckpt"}) {
    auto result = evaluate(settings_, data_ / weights, fake_lower(target_));
    EXPECT_EQ(result.samples, 13) << weights;
    EXPECT_EQ(result.accuracy, 0.5) << weights;
  }
  settings_.model = Mlp{{5}, 0};
  expect_error(error_of([&] { evaluate(settings_, data_ / "a", fake_lower(target_)); }), ErrorKind::user,
               {"another model", "fc1.weight", "f32[4,16]", "f32[5,16]"});
}

TEST_F(RunEngine, ABatchLargerThanTheDataNamesBoth) {
  settings_.train.batch = 41;
  expect_error(error_of([&] { run("a"); }), ErrorKind::user, {"train.batch", "41", "40"});
  settings_.train.remainder = Remainder::next_epoch;
  EXPECT_EQ(run("a").steps, 3);
}

TEST_F(RunEngine, LengthsRoundAsTheySay) {
  auto total = [&](double epochs) {
    settings_.train.epochs = epochs;
    return length_of(settings_, 43).total_steps;
  };
  EXPECT_EQ(total(1), 5);
  EXPECT_EQ(total(0.5), 3);
  EXPECT_EQ(total(0.01), 1);
  settings_.train.remainder = Remainder::next_epoch;
  EXPECT_EQ(total(1), 6);
  EXPECT_EQ(total(8), 43);
  EXPECT_EQ(length_of(settings_, 43).steps_per_epoch, 6);
}

TEST_F(RunEngine, FactsFallBackToTheModels) {
  Settings settings = settings_;
  settings.model_name = "resnet50";
  settings.data.folder = (data_ / "missing").string();
  auto facts = facts_of(settings, false);
  EXPECT_EQ(type_text(facts.image), "u8[3,224,224]");
  EXPECT_EQ(facts.classes, 1000);
  EXPECT_EQ(facts.train_size, 60000);
  expect_error(error_of([&] { facts_of(settings); }), ErrorKind::user, {"missing"});
}

}  // namespace
}  // namespace lockstep
