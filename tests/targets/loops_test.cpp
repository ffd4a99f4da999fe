// The primitive loops of the CPU target against the same thing said plainly, on every instruction set this
// machine has.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "lockstep/targets/cpu/kernels/loops.h"

namespace lockstep::cpu {
namespace {

using Floats = std::vector<float>;

/// Irregular numbers, with NaN, infinities and zeros of both signs among them when `special`.
Floats draw(size_t n, int seed, bool special) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  Floats v(n);
  for (auto& x : v) x = uniform(random);
  const Floats odd{std::nanf(""),
                   INFINITY,
                   -INFINITY,
                   0.0f,
                   -0.0f,
                   std::numeric_limits<float>::denorm_min(),
                   std::numeric_limits<float>::max()};
  if (special)
    for (size_t i = static_cast<size_t>(seed) % 3; i < n; i += 3)
      v[i] = odd[(i / 3 + static_cast<size_t>(seed)) % odd.size()];
  return v;
}

/// Equal bits, but a NaN is a NaN.
void expect_same(const Floats& got, const Floats& want, const char* what) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(want[i])) continue;
    ASSERT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want[i]))
        << what << " of " << got.size() << " at " << i << ": " << got[i] << ", want " << want[i];
  }
}

/// Runs once for each instruction set of this machine that has a version of the loops.
class LoopsTest : public testing::TestWithParam<size_t> {
 protected:
  void each_target(const std::function<void()>& body) {
    for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
      SCOPED_TRACE(hwy::TargetName(target));
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      body();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  size_t n() const { return GetParam(); }
};

TEST_P(LoopsTest, BinaryLoopsEqualPlainCode) {
  struct Row {
    const char* name;
    BinaryLoops Loops::*loop;
    float (*plain)(float, float);
  };
  const Row rows[] = {
      {"add", &Loops::add, [](float a, float b) { return a + b; }},
      {"sub", &Loops::sub, [](float a, float b) { return a - b; }},
      {"mul", &Loops::mul, [](float a, float b) { return a * b; }},
      {"div", &Loops::div, [](float a, float b) { return a / b; }},
      {"maximum", &Loops::maximum, [](float a, float b) { return std::isnan(a) || a >= b ? a : b; }},
      {"minimum", &Loops::minimum, [](float a, float b) { return std::isnan(a) || a <= b ? a : b; }}};
  for (bool special : {false, true})
    each_target([&] {
      Floats a = draw(n(), 1, special), b = draw(n(), 2, special);
      for (const auto& row : rows) {
        const BinaryLoops& l = loops().*row.loop;
        Floats want(n()), y(n());
        for (size_t i = 0; i < n(); ++i) want[i] = row.plain(a[i], b[i]);
        l.both(a.data(), b.data(), y.data(), n());
        expect_same(y, want, row.name);
        Floats in_place = a;
        l.both(in_place.data(), b.data(), in_place.data(), n());
        expect_same(in_place, want, row.name);
        if (n() == 0) continue;
        for (size_t i = 0; i < n(); ++i) want[i] = row.plain(a[i], b[0]);
        l.scalar_right(a.data(), b.data(), y.data(), n());
        expect_same(y, want, row.name);
        for (size_t i = 0; i < n(); ++i) want[i] = row.plain(a[0], b[i]);
        l.scalar_left(a.data(), b.data(), y.data(), n());
        expect_same(y, want, row.name);
      }
      Floats want(n()), y(n());
      for (size_t i = 0; i < n(); ++i) want[i] = b[i] > 0 ? a[i] : 0;
      loops().relu_backward(a.data(), b.data(), y.data(), n());
      expect_same(y, want, "relu_backward");
    });
}

TEST_P(LoopsTest, UnaryLoopsEqualPlainCode) {
  struct Row {
    const char* name;
    UnaryLoop Loops::*loop;
    float (*plain)(float);
  };
  const Row rows[] = {{"relu", &Loops::relu, [](float x) { return x <= 0 ? 0 : x; }},
                      {"neg", &Loops::neg, [](float x) { return -x; }},
                      {"abs", &Loops::abs, [](float x) { return std::abs(x); }},
                      {"square", &Loops::square, [](float x) { return x * x; }},
                      {"sqrt", &Loops::sqrt, [](float x) { return std::sqrt(x); }},
                      {"rsqrt", &Loops::rsqrt, [](float x) { return 1 / std::sqrt(x); }}};
  for (bool special : {false, true})
    each_target([&] {
      Floats x = draw(n(), 3, special), want(n()), y(n());
      for (const auto& row : rows) {
        for (size_t i = 0; i < n(); ++i) want[i] = row.plain(x[i]);
        (loops().*row.loop)(x.data(), y.data(), n());
        expect_same(y, want, row.name);
      }
      for (size_t i = 0; i < n(); ++i) want[i] = x[i] * 0.3f;
      loops().scale(x.data(), 0.3f, y.data(), n());
      expect_same(y, want, "scale");
      for (size_t i = 0; i < n(); ++i) want[i] = x[i] + 0.3f;
      loops().shift(x.data(), 0.3f, y.data(), n());
      expect_same(y, want, "shift");
    });
}

TEST_P(LoopsTest, BytesBecomeFloats) {
  each_target([&] {
    std::vector<uint8_t> x(n());
    Floats want(n()), y(n());
    for (size_t i = 0; i < n(); ++i) x[i] = static_cast<uint8_t>(i * 37), want[i] = x[i];
    loops().u8_to_f32(x.data(), y.data(), n());
    expect_same(y, want, "u8_to_f32");
  });
}

TEST_P(LoopsTest, SgdEqualsItsFormula) {
  for (bool inside : {false, true})
    for (bool nesterov : {false, true})
      each_target([&] {
        SgdLoop how{0.1f, 0.9f, 0.01f, inside, nesterov};
        Floats w = draw(n(), 4, false), g = draw(n(), 5, true), m = draw(n(), 6, false), want_w(n()),
               want_m(n());
        for (size_t i = 0; i < n(); ++i) {
          float d = g[i] + how.weight_decay * w[i];
          want_m[i] = how.momentum * m[i] + (inside ? how.rate * d : d);
          if (inside)
            want_w[i] = w[i] - (nesterov ? how.rate * d + how.momentum * want_m[i] : want_m[i]);
          else
            want_w[i] = w[i] - how.rate * (nesterov ? d + how.momentum * want_m[i] : want_m[i]);
        }
        loops().sgd(how, w.data(), g.data(), m.data(), w.data(), m.data(), n());
        expect_same(w, want_w, "w");
        expect_same(m, want_m, "m");
      });
}

TEST_P(LoopsTest, AllFiniteSeesEveryPlace) {
  each_target([&] {
    Floats x = draw(n(), 7, false);
    EXPECT_TRUE(loops().all_finite(x.data(), n()));
    for (float bad : {std::nanf(""), INFINITY, -INFINITY})
      for (size_t i = 0; i < n(); ++i) {
        std::swap(x[i], bad);
        EXPECT_FALSE(loops().all_finite(x.data(), n())) << i;
        std::swap(x[i], bad);
      }
    for (auto& v : x) v = std::numeric_limits<float>::max();
    EXPECT_TRUE(loops().all_finite(x.data(), n()));
  });
}

TEST_P(LoopsTest, SumsHaveTheSameBitsEverywhere) {
  Floats x = draw(n(), 8, false);
  float lane[32] = {};
  for (size_t i = 0; i < n(); ++i) lane[i % 32] += x[i];
  for (int half = 16; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
  each_target([&] { expect_same({loops().sum(x.data(), n())}, {lane[0]}, "sum"); });
}

TEST_P(LoopsTest, RowsAreAddedInOrder) {
  size_t rows = 5, stride = n() + 3;
  Floats x = draw(rows * stride, 9, true), y = draw(n(), 10, false), want = y;
  for (size_t r = 0; r < rows; ++r)
    for (size_t j = 0; j < n(); ++j) want[j] += x[r * stride + j];
  each_target([&] {
    Floats got = y;
    loops().add_rows(x.data(), rows, stride, got.data(), n());
    expect_same(got, want, "add_rows");
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, LoopsTest, testing::Values(0, 1, 7, 8, 9, 33, 127, 1000));

}  // namespace
}  // namespace lockstep::cpu
