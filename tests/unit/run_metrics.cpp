#include "lockstep/run/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lockstep/base/file.h"
#include "lockstep/base/text.h"
#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

StepEvent step(int64_t n) {
  StepEvent event;
  event.step = n;
  event.loss = 0.1 * static_cast<double>(n);
  return event;
}

EvalEvent evaluation(int64_t n) {
  EvalEvent event;
  event.step = n;
  event.accuracy = 0.75;
  event.samples = 10;
  return event;
}

/// "1 2 e2 3": what stands in the file.
std::string contents(const std::filesystem::path& path) {
  std::string out;
  for (const auto& line : split(read_file(path), '\n')) {
    if (line.empty()) continue;
    auto json = nlohmann::json::parse(line);
    out += (json["kind"] == "evaluation" ? " e" : " ") + std::to_string(json["step"].get<int64_t>());
  }
  return out;
}

TEST(RunMetrics, LinesAreJson) {
  TempFolder folder;
  MetricsFile file(folder / "m", {0, -1});
  auto odd = step(1);
  odd.loss = NAN;
  file.add(odd);
  file.add(evaluation(1));
  file.flush();
  auto lines = split(read_file(folder / "m"), '\n');
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(nlohmann::json::parse(lines[0])["loss"].is_null());
  EXPECT_EQ(nlohmann::json::parse(lines[1])["accuracy"], 0.75);
  EXPECT_EQ(lines[2], "");
}

TEST(RunMetrics, ResumeCutsAwayWhatComesAgain) {
  TempFolder folder;
  {
    MetricsFile file(folder / "m", {0, -1});
    for (int64_t n = 1; n <= 6; ++n) {
      file.add(step(n));
      if (n % 2 == 0) file.add(evaluation(n));
    }
    file.sync();
  }
  EXPECT_EQ(contents(folder / "m"), " 1 2 e2 3 4 e4 5 6 e6");
  {
    MetricsFile file(folder / "m", {4, 2});  // killed between step 4 and its evaluation
    file.add(evaluation(4));
    file.add(step(5));
    file.flush();
  }
  EXPECT_EQ(contents(folder / "m"), " 1 2 e2 3 4 e4 5");
  { MetricsFile file(folder / "m", {0, -1}); }
  EXPECT_EQ(contents(folder / "m"), "");
}

TEST(RunMetrics, ATornLastLineAndStrangersGo) {
  TempFolder folder;
  std::string good = R"({"kind":"step","step":1})"
                     "\n";
  EXPECT_EQ(trimmed_metrics(good + R"({"kind":"step","st)", {9, 9}), good);
  EXPECT_EQ(trimmed_metrics("nonsense\n[1]\n\n{}\n" + good, {9, 9}), good);
  EXPECT_EQ(trimmed_metrics("", {9, 9}), "");
}

TEST(RunMetrics, NamesTheFileItCannotWrite) {
  TempFolder folder;
  expect_error(error_of([&] {
                 MetricsFile(folder / "no/m", {0, -1});
               }),
               ErrorKind::system, {"metrics", "no/m"});
}

}  // namespace
}  // namespace lockstep
