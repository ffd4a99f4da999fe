// The main() of all test programs: GTest's, and behind each failed test the command that runs it alone.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace {

class Reproduce : public testing::EmptyTestEventListener {
 public:
  explicit Reproduce(std::string program) : program_(std::move(program)) {}
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::printf("reproduce: %s --gtest_filter=%s.%s\n", program_.c_str(), test.test_suite_name(),
                test.name());
    std::fflush(stdout);
  }

 private:
  std::string program_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new Reproduce(argv[0]));  // GTest owns it
  return RUN_ALL_TESTS();
}
