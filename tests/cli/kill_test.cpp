// The same bits whatever happens to the run: threads, steps per call, and SIGKILL at ten random moments.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/base/file.h"
#include "lockstep/base/hash.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

/// 50 steps of a small residual network on the real images, a checkpoint each 4 steps.
class SlowBits : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("LOCKSTEP_COMMAND") == nullptr) GTEST_SKIP() << "LOCKSTEP_COMMAND is not set";
    if (!fs::exists("/usr/share/datasets/fashion-mnist"))
      GTEST_SKIP() << "package dataset-fashion-mnist is not installed";
    folder_ = fs::temp_directory_path() / ("lockstep-bits-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  pid_t start(const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words{std::getenv("LOCKSTEP_COMMAND"),
                                   "train",
                                   "configs/desk/resnet.toml",
                                   "--out",
                                   (folder_ / out).string(),
                                   "--max-steps",
                                   "50",
                                   "--quiet",
                                   "--set",
                                   "model.width=8",
                                   "--set",
                                   "train.batch=32",
                                   "--set",
                                   "checkpoint.every_steps=4",
                                   "--set",
                                   "evaluate.every_epochs=0",
                                   "--set",
                                   "model.dropout=0.1",
                                   "--set",
                                   "data.pad=2"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    pid_t child = fork();
    if (child == 0) {
      (void)!freopen("/dev/null", "w", stdout);
      execv(argv[0], argv.data());
      _exit(127);
    }
    return child;
  }

  static int finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string weights(const std::string& out) {
    return sha256(read_file(folder_ / out / "model.safetensors"));
  }

  std::string run(const std::string& out, const std::vector<std::string>& more) {
    EXPECT_EQ(finish(start(out, more)), 0) << out;
    return weights(out);
  }

  fs::path folder_;
};

TEST_F(SlowBits, ThreadsAndStepsPerCall) {
  auto base = run("base", {"--threads", "1"});
  EXPECT_EQ(run("two", {"--threads", "2"}), base);
  EXPECT_EQ(run("three", {"--threads", "3"}), base);
  EXPECT_EQ(run("single", {"--threads", "2", "--set", "train.steps_per_call=1"}), base);
  std::printf("model.safetensors %s for 1, 2, 3 threads and 1, 10 steps per call\n", base.c_str());
}

TEST_F(SlowBits, KilledAtTenRandomMomentsAndResumed) {
  auto begin = std::chrono::steady_clock::now();
  auto base = run("base", {"--threads", "2"});
  double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::mt19937 random(std::random_device{}());
  int killed = 0;
  for (int i = 0; i < 10; ++i) {
    double moment = std::uniform_real_distribution<double>(0.05, whole)(random);
    SCOPED_TRACE("killed after " + std::to_string(moment) + " s");
    auto child = start("killed" + std::to_string(i), {"--threads", "2"});
    std::this_thread::sleep_for(std::chrono::duration<double>(moment));
    kill(child, SIGKILL);
    killed += finish(child) == 128 + SIGKILL;
    EXPECT_EQ(run("killed" + std::to_string(i), {"--threads", i % 2 == 0 ? "1" : "2"}), base);
  }
  std::printf("%d of 10 runs killed, all resumed to %s\n", killed, base.c_str());
  EXPECT_GE(killed, 1);
}

}  // namespace
}  // namespace lockstep
