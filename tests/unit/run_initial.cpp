#include "lockstep/run/initial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lockstep {
namespace {

VariableDecl variable(const std::string& name, int64_t count, Init init, double scale) {
  return {name, {DType::f32, {count}}, {Role::weight, true, init, scale, {}}};
}

std::vector<float> values(const VariableDecl& v, uint64_t seed) {
  std::vector<float> out(static_cast<size_t>(v.type.elements()));
  initial_value(v, seed, out.data());
  return out;
}

struct Moments {
  double mean = 0, deviation = 0, kurtosis = 0, least = 0, most = 0;
};

Moments moments(const std::vector<float>& x) {
  Moments m;
  auto n = static_cast<double>(x.size());
  for (double v : x) m.mean += v / n;
  double second = 0, fourth = 0;
  for (double v : x) {
    second += std::pow(v - m.mean, 2) / n;
    fourth += std::pow(v - m.mean, 4) / n;
    m.least = std::min(m.least, v);
    m.most = std::max(m.most, v);
  }
  m.deviation = std::sqrt(second);
  m.kurtosis = fourth / second / second;
  return m;
}

constexpr int64_t kMany = 200000;

TEST(RunInitial, NormalHasItsMoments) {
  auto m = moments(values(variable("w", kMany, Init::normal, 0.5), 1));
  EXPECT_NEAR(m.mean, 0, 0.005);
  EXPECT_NEAR(m.deviation, 0.5, 0.005);
  EXPECT_NEAR(m.kurtosis, 3, 0.06);
  EXPECT_GT(m.most, 1.9);
}

TEST(RunInitial, TruncatedNormalIsCutAtTwoDeviations) {
  auto m = moments(values(variable("w", kMany, Init::truncated_normal, 0.5), 1));
  EXPECT_NEAR(m.mean, 0, 0.005);
  EXPECT_NEAR(m.deviation, 0.5 * 0.87962566103423978, 0.004);
  EXPECT_LE(m.most, 1);
  EXPECT_GE(m.least, -1);
  EXPECT_GT(m.most, 0.99);
}

TEST(RunInitial, UniformFillsItsRange) {
  auto m = moments(values(variable("w", kMany, Init::uniform, 0.25), 7));
  EXPECT_NEAR(m.mean, 0, 0.002);
  EXPECT_NEAR(m.deviation, 0.25 / std::sqrt(3.0), 0.002);
  EXPECT_GE(m.least, -0.25);
  EXPECT_LT(m.most, 0.25);
}

TEST(RunInitial, ConstantsAreExactInEveryType) {
  EXPECT_EQ(values(variable("w", 2, Init::zeros, 9), 1), (std::vector<float>{0, 0}));
  EXPECT_EQ(values(variable("w", 2, Init::ones, 9), 1), (std::vector<float>{1, 1}));
  EXPECT_EQ(values(variable("w", 2, Init::constant, 1024), 1), (std::vector<float>{1024, 1024}));
  uint8_t flag = 7;
  initial_value({"finite", {DType::pred, {}}, {Role::flag, false, Init::ones, 0, {}}}, 1, &flag);
  EXPECT_EQ(flag, 1);
  int64_t counter = 7;
  initial_value({"step", {DType::i64, {}}, {Role::counter, false, Init::zeros, 0, {}}}, 1, &counter);
  EXPECT_EQ(counter, 0);
}

TEST(RunInitial, TheSeedVariableIsTheSeed) {
  uint64_t seed = 0;
  initial_value({"seed", {DType::u64, {}}, {Role::seed, false, Init::zeros, 0, {}}}, 0xfedcba9876543210u,
                &seed);
  EXPECT_EQ(seed, 0xfedcba9876543210u);
}

TEST(RunInitial, DependsOnSeedNameAndIndexOnly) {
  auto a = values(variable("layer1.weight", 1000, Init::normal, 1), 3);
  EXPECT_EQ(a, values(variable("layer1.weight", 1000, Init::normal, 1), 3));
  auto longer = values(variable("layer1.weight", 2000, Init::normal, 1), 3);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), longer.begin()));
  EXPECT_NE(a, values(variable("layer1.weight", 1000, Init::normal, 1), 4));
  EXPECT_NE(a, values(variable("layer2.weight", 1000, Init::normal, 1), 3));
}

TEST(RunInitial, VariablesAndSeedsAreUncorrelated) {
  auto a = values(variable("a", kMany, Init::normal, 1), 1);
  for (const auto& b :
       {values(variable("b", kMany, Init::normal, 1), 1), values(variable("a", kMany, Init::normal, 1), 2)}) {
    double product = 0;
    for (size_t i = 0; i < a.size(); ++i) product += static_cast<double>(a[i]) * b[i] / kMany;
    EXPECT_NEAR(product, 0, 0.01);
  }
}

TEST(RunInitial, ValuesStayWhatTheyWere) {
  // A change here changes every run that is begun anew: it must be meant.
  auto normal = values(variable("fc.weight", 2, Init::normal, 1), 1);
  EXPECT_FLOAT_EQ(normal[0], -1.1619947f);
  EXPECT_FLOAT_EQ(normal[1], 0.150751486f);
  auto uniform = values(variable("fc.weight", 2, Init::uniform, 1), 1);
  EXPECT_EQ(uniform[0], 0.0011074543f);
  EXPECT_EQ(uniform[1], 0.957774162f);
}

}  // namespace
}  // namespace lockstep
