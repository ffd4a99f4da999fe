#include "lockstep/run/resume.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include "lockstep/base/file.h"
#include "lockstep/run/compile.h"
#include "lockstep/run/initial.h"
#include "lockstep/run/run_folder.h"
#include "tests/unit/run_support.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class RunResume : public testing::Test {
 protected:
  RunResume() {
    write_data(data_);
    Settings settings = tiny_settings(data_);
    executable_ = fake_lower(std::make_shared<FakeTarget>())(compile(settings, facts_of(settings)).bundle);
    initialise(*executable_, 1);
    fs::create_directories(run_ / "");
  }

  fs::path write(int64_t step) {
    Snapshot snapshot(executable_->bundle());
    CheckpointInfo info;
    info.step = step;
    write_checkpoint(checkpoint_path(run_ / "", step), *executable_, snapshot, info);
    return checkpoint_path(run_ / "", step);
  }

  void damage(const fs::path& path) {
    std::string bytes = read_file(path);
    bytes.resize(bytes.size() - 1);
    write_file_atomically(path, bytes);
  }

  /// The step found; -1: none.
  int64_t find(const std::string& resume) {
    warnings_.clear();
    auto found =
        find_checkpoint(resume, run_ / "", [&](const std::string& text) { warnings_.push_back(text); });
    return found ? found->info().step : -1;
  }

  TempFolder data_, run_;
  std::unique_ptr<Executable> executable_;
  std::vector<std::string> warnings_;
};

TEST_F(RunResume, AutoTakesTheNewestOrNothing) {
  EXPECT_EQ(find("auto"), -1);
  for (int64_t step : {9, 100000000, 10, 100}) write(step);
  run_.write("checkpoint-x.ckpt", "");
  run_.write("checkpoint-00000999.ckpt.part", "");
  EXPECT_EQ(find("auto"), 100000000);
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(RunResume, AutoPassesOverDamagedOnesWithOneLineEach) {
  write(1);
  damage(write(2));
  damage(write(3));
  EXPECT_EQ(find("auto"), 1);
  ASSERT_EQ(warnings_.size(), 2u);
  EXPECT_NE(warnings_[0].find("checkpoint-00000003.ckpt"), std::string::npos) << warnings_[0];
  EXPECT_EQ(warnings_[0].find('\n'), std::string::npos);
}

TEST_F(RunResume, AllDamagedIsNotNothing) {
  damage(write(2));
  expect_error(error_of([&] { find("auto"); }), ErrorKind::data, {"no checkpoint of this folder is whole"});
}

TEST_F(RunResume, ANewerVersionIsNotPassedOver) {
  write(1);
  auto path = write(2);
  std::string bytes = read_file(path), want = R"("version":"1")";
  bytes.replace(bytes.find(want), want.size(), R"("version":"9")");
  write_file_atomically(path, bytes);
  expect_error(error_of([&] { find("auto"); }), ErrorKind::user, {"install a newer lockstep"});
}

TEST_F(RunResume, NoneRefusesAFolderWithARun) {
  EXPECT_EQ(find("none"), -1);
  write(1);
  expect_error(error_of([&] { find("none"); }), ErrorKind::user,
               {"this folder holds a run", "choose another --out or --resume auto"});
}

TEST_F(RunResume, APathMustWork) {
  expect_error(error_of([&] { find((run_ / "").string()); }), ErrorKind::user, {"no checkpoint"});
  expect_error(error_of([&] { find((run_ / "missing.ckpt").string()); }), ErrorKind::user,
               {"missing.ckpt", "no such file"});
  auto first = write(1);
  auto second = write(2);
  EXPECT_EQ(find((run_ / "").string()), 2);
  EXPECT_EQ(find(first.string()), 1);
  damage(second);
  expect_error(error_of([&] { find(second.string()); }), ErrorKind::data, {"checkpoint-00000002.ckpt"});
  TempFolder elsewhere;
  fs::copy_file(first, elsewhere / "a.ckpt");
  expect_error(error_of([&] { find((elsewhere / "a.ckpt").string()); }), ErrorKind::user,
               {"this folder holds another run"});
  fs::remove(first);
  fs::remove(second);
  EXPECT_EQ(find((elsewhere / "a.ckpt").string()), 1);
}

TEST_F(RunResume, PruneKeepsTheNewestAndTheOneJustWritten) {
  for (int64_t step : {1, 2, 3, 4}) write(step);
  prune_checkpoints(run_ / "", 2, checkpoint_path(run_ / "", 1));
  std::vector<int64_t> left;
  for (const auto& c : list_checkpoints(run_ / "")) left.push_back(c.step);
  EXPECT_EQ(left, (std::vector<int64_t>{4, 3, 1}));
  prune_checkpoints(run_ / "", 0, checkpoint_path(run_ / "", 4));
  EXPECT_EQ(list_checkpoints(run_ / "").size(), 1u);
}

TEST_F(RunResume, AFullFileSystemLeavesTheOldCheckpoint) {
  std::string place = (run_ / "small").string();
  fs::create_directory(place);
  if (::geteuid() != 0 || ::mount("tmpfs", place.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "may not mount a small file system";
  Snapshot snapshot(executable_->bundle());
  CheckpointInfo info;
  write_checkpoint(checkpoint_path(place, 1), *executable_, snapshot, info);
  EXPECT_THROW(write_file_atomically(fs::path(place) / "filler", std::string(1 << 20, 'x')), Error);
  std::ofstream(fs::path(place) / "filler") << std::string(1 << 20, 'x');  // as much as there is room for
  Error e = error_of([&] { write_checkpoint(checkpoint_path(place, 2), *executable_, snapshot, info); });
  auto left = list_checkpoints(place);
  EXPECT_NO_THROW(CheckpointFile{checkpoint_path(place, 1)});
  ::umount(place.c_str());
  expect_error(e, ErrorKind::system, {"No space left"});
  EXPECT_EQ(left.size(), 1u);
}

TEST(RunFolderTest, IsMadeWithItsParentsAndCleaned) {
  TempFolder temp;
  fs::create_directories(temp / "a/b");
  temp.write("a/b/checkpoint-00000001.ckpt.part", "half");
  temp.write("a/b/download.part", "somebody's");
  RunFolder folder(temp / "a/b");
  EXPECT_FALSE(fs::exists(temp / "a/b/checkpoint-00000001.ckpt.part"));
  EXPECT_TRUE(fs::exists(temp / "a/b/download.part"));
  folder.write_config("x = 1\n");
  folder.write_config("x = 2\n");
  EXPECT_EQ(read_file(temp / "a/b/config.toml"), "x = 2\n");
}

TEST(RunFolderTest, IsForOneRunAtATime) {
  TempFolder temp;
  {
    RunFolder folder(temp / "run");
    expect_error(
        error_of([&] { RunFolder again(temp / "run"); }), ErrorKind::user,
        {"another run uses this folder", (temp / "run").string(), "process " + std::to_string(::getpid())});
  }
  RunFolder folder(temp / "run");
}

TEST(RunFolderTest, SaysWhyItCannotBe) {
  TempFolder temp;
  temp.write("file", "");
  expect_error(error_of([&] { RunFolder folder(temp / "file"); }), ErrorKind::user,
               {"is a file", (temp / "file").string()});
  expect_error(error_of([&] { RunFolder folder(temp / "file/below"); }), ErrorKind::user,
               {"cannot make", "file/below"});
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is unwritable to root";
  fs::create_directory(temp / "locked");
  fs::permissions(temp / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  expect_error(error_of([&] { RunFolder folder(temp / "locked"); }), ErrorKind::user, {"cannot write"});
}

TEST(RunFolderTest, DefaultNamesAreNew) {
  auto name = default_run_folder("resnet");
  EXPECT_EQ(name.parent_path(), "runs");
  EXPECT_EQ(name.filename().string().substr(0, 9), "resnet-20");
}

}  // namespace
}  // namespace lockstep
