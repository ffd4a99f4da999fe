#include "lockstep/run/checkpoint.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "lockstep/base/file.h"
#include "lockstep/base/hash.h"
#include "lockstep/run/compile.h"
#include "lockstep/run/initial.h"
#include "lockstep/run/model_file.h"
#include "tests/unit/run_support.h"

namespace lockstep {
namespace {

class RunCheckpoint : public testing::Test {
 protected:
  RunCheckpoint() {
    write_data(folder_);
    settings_ = tiny_settings(folder_);
    executable_ = make(settings_);
    initialise(*executable_, 5);
    path_ = folder_ / "checkpoint-00000007.ckpt";
    info_.step = 7;
    info_.seed = 5;
    info_.bundle = "b";
    info_.settings = trajectory_of(settings_, 40);
    info_.evaluated_step = 5;
    info_.accuracy = 0.1 + 0.2;
  }

  std::unique_ptr<Executable> make(const Settings& settings) {
    return fake_lower(std::make_shared<FakeTarget>())(compile(settings, facts_of(settings)).bundle);
  }

  std::string write() {
    Snapshot snapshot(executable_->bundle());
    write_checkpoint(path_, *executable_, snapshot, info_);
    return read_file(path_);
  }

  static std::string state(const Executable& executable) {
    Snapshot snapshot(executable.bundle());
    snapshot.read(executable);
    std::string bytes;
    for (const auto& t : snapshot.tensors())
      bytes.append(reinterpret_cast<const char*>(t.data), static_cast<size_t>(t.type.bytes()));
    return bytes;
  }

  TempFolder folder_;
  Settings settings_;
  std::unique_ptr<Executable> executable_;
  std::filesystem::path path_;
  CheckpointInfo info_;
};

TEST_F(RunCheckpoint, GivesBackEverything) {
  write();
  CheckpointFile file(path_);
  EXPECT_EQ(file.info().step, 7);
  EXPECT_EQ(file.info().seed, 5u);
  EXPECT_EQ(file.info().bundle, "b");
  EXPECT_EQ(file.info().settings, info_.settings);
  EXPECT_EQ(file.info().evaluated_step, 5);
  EXPECT_EQ(file.info().accuracy, 0.1 + 0.2);
  auto other = make(settings_);
  initialise(*other, 6);
  EXPECT_NE(state(*other), state(*executable_));
  file.restore(*other);
  EXPECT_EQ(state(*other), state(*executable_));
}

TEST_F(RunCheckpoint, EqualStatesGiveEqualFiles) { EXPECT_EQ(write(), write()); }

TEST_F(RunCheckpoint, CutShortAnywhereIsRefused) {
  std::string whole = write();
  for (size_t size = 0; size < whole.size(); size += 64) {
    folder_.write("cut.ckpt", whole.substr(0, size));
    Error e = error_of([&] { CheckpointFile(folder_ / "cut.ckpt"); });
    ASSERT_EQ(e.kind, ErrorKind::data) << size << ": " << e.what();
    ASSERT_NE(std::string(e.what()).find("cut.ckpt"), std::string::npos) << e.what();
  }
}

TEST_F(RunCheckpoint, AFlippedByteIsRefused) {
  std::string whole = write();
  for (size_t i = 0; i < whole.size(); i += i < 64 ? 1 : 5) {
    std::string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ (i % 2 == 0 ? 0x01 : 0x80));
    folder_.write("bad.ckpt", bad);
    ASSERT_THROW(CheckpointFile(folder_ / "bad.ckpt"), Error) << "byte " << i;
  }
}

TEST_F(RunCheckpoint, ADamagedTensorIsADataError) {
  std::string bad = write();
  bad.back() = static_cast<char>(bad.back() ^ 1);
  folder_.write("bad.ckpt", bad);
  expect_error(error_of([&] { CheckpointFile(folder_ / "bad.ckpt"); }), ErrorKind::data,
               {"SHA-256", "bad.ckpt"});
}

TEST_F(RunCheckpoint, ANewerVersionAsksForANewerLockstep) {
  std::string newer = write();
  std::string old_text = R"("version":"1")", new_text = R"("version":"2")";
  newer.replace(newer.find(old_text), old_text.size(), new_text);
  folder_.write("newer.ckpt", newer);
  expect_error(error_of([&] { CheckpointFile(folder_ / "newer.ckpt"); }), ErrorKind::user,
               {"newer lockstep", "version 2", "install a newer lockstep"});
}

TEST_F(RunCheckpoint, AnotherModelNamesItsFirstVariable) {
  write();
  auto wider = settings_;
  wider.model = Mlp{{6}, 0};
  auto other = make(wider);
  expect_error(error_of([&] { CheckpointFile(path_).restore(*other); }), ErrorKind::user,
               {"another model", "fc1.weight", "f32[4,16]", "f32[6,16]"});
  auto deeper = settings_;
  deeper.model = Mlp{{4, 4}, 0};
  other = make(deeper);
  expect_error(error_of([&] { CheckpointFile(path_).restore(*other); }), ErrorKind::user,
               {"another model", "fc2", "no such variable"});
}

TEST_F(RunCheckpoint, AModelFileIsNoCheckpoint) {
  write_model(folder_ / "m.ckpt", *executable_);
  expect_error(error_of([&] { CheckpointFile(folder_ / "m.ckpt"); }), ErrorKind::data, {"not a checkpoint"});
}

TEST_F(RunCheckpoint, TheModelFileHoldsTheModelOnly) {
  write_model(folder_ / "model.safetensors", *executable_);
  SafetensorsFile file(folder_ / "model.safetensors");
  std::vector<std::string> names;
  for (const auto& t : file.tensors()) names.push_back(t.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"fc.bias", "fc.weight", "fc1.bias", "fc1.weight"}));
  EXPECT_EQ(file.metadata().at("format"), "pt");
  auto other = make(settings_);
  initialise(*other, 6);
  load_model(folder_ / "model.safetensors", *other);
  int weight = other->bundle().find_variable("fc.weight");
  std::vector<float> got(
      static_cast<size_t>(other->bundle().variables[static_cast<size_t>(weight)].type.elements())),
      want = got;
  other->read_variable(weight, got.data());
  executable_->read_variable(weight, want.data());
  EXPECT_EQ(got, want);
}

TEST_F(RunCheckpoint, AFullDiskKeepsTheOldOne) {
  std::string old = write();
  struct rlimit before {
  }, small{};
  getrlimit(RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 512;  // a write beyond it fails as on a full disk
  auto handler = ::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  Error e = error_of([&] { write(); });
  setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(e.kind, ErrorKind::system) << e.what();
  EXPECT_EQ(read_file(path_), old);
  EXPECT_FALSE(std::filesystem::exists(path_.string() + ".part"));
}

TEST_F(RunCheckpoint, AnotherSettingIsNamed) {
  auto wanted = settings_;
  wanted.train.seed = 2;
  expect_error(error_of([&] { check_same_trajectory(info_.settings, trajectory_of(wanted, 40), "x.ckpt"); }),
               ErrorKind::user,
               {"train.seed", "train.seed = 2", "train.seed = 1", "--resume none", "x.ckpt"});
  expect_error(
      error_of([&] { check_same_trajectory(info_.settings, trajectory_of(settings_, 41), "x.ckpt"); }),
      ErrorKind::user, {"data.train_samples"});
  auto harmless = settings_;
  harmless.train.steps_per_call = 50;
  harmless.data.workers = 3;
  harmless.data.ring_slots = 9;
  harmless.target.threads = 3;
  harmless.evaluate.every_epochs = 2;
  check_same_trajectory(info_.settings, trajectory_of(harmless, 40), "x.ckpt");
  EXPECT_EQ(parse_trajectory(print(info_.settings)), info_.settings);
}

}  // namespace
}  // namespace lockstep
