// What single ops mean where formulas leave a choice: padding, ties, bad labels, masks, skipped steps.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "lockstep/ir/interpret.h"
#include "lockstep/ops/batch_norm.h"
#include "lockstep/ops/conv.h"
#include "lockstep/ops/counter.h"
#include "lockstep/ops/cross_entropy.h"
#include "lockstep/ops/dropout.h"
#include "lockstep/ops/pool.h"
#include "lockstep/ops/running_average.h"
#include "lockstep/ops/sgd.h"
#include "lockstep/optim/schedule.h"

namespace lockstep {
namespace {

Tensor real(Shape shape, std::vector<double> values) {
  Tensor t(Type{DType::f64, std::move(shape)});
  EXPECT_EQ(t.real.size(), values.size());
  t.real = std::move(values);
  return t;
}
Tensor whole(DType dtype, Shape shape, std::vector<int64_t> values) {
  Tensor t(Type{dtype, std::move(shape)});
  EXPECT_EQ(t.whole.size(), values.size());
  t.whole = std::move(values);
  return t;
}
Tensor truth(bool v) { return whole(DType::pred, {}, {v}); }
/// Distinct, irregular numbers.
Tensor wavy(Shape shape, double phase) {
  Tensor t(Type{DType::f64, std::move(shape)});
  for (int64_t i = 0; i < t.size(); ++i) t.real[i] = std::sin(1.7 * static_cast<double>(i) + phase);
  return t;
}

template <class T>
Tensors run(const T& op, const Tensors& inputs) {
  std::vector<const Tensor*> in;
  for (const auto& t : inputs) in.push_back(&t);
  return evaluate(op_row<T>(), &op, in, {.in_double = true});
}

Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return user_error("nothing");
}
void expect_says(const std::function<void()>& act, std::initializer_list<std::string> parts) {
  std::string message = error_of(act).what();
  for (const auto& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' in: " << message;
}

// ---- padding
// ------------------------------------------------------------------------------------------------

TEST(Window, SameUpperPutsTheOddZeroAtTheEnd) {
  // onnx/onnx issue 749: along an axis of 2 with kernel 3 and stride 2 the pads are [0, 1], not [1, 1].
  auto w = make_window(2, 3, 2, 1, Padding::same_upper, 7, 7);
  EXPECT_EQ(w.pad_begin, 0);
  EXPECT_EQ(w.pad_end, 1);
  EXPECT_EQ(w.output(2), 1);
  w = make_window(2, 3, 2, 1, Padding::same_lower, 7, 7);
  EXPECT_EQ(w.pad_begin, 1);
  EXPECT_EQ(w.pad_end, 0);
  w = make_window(5, 3, 2, 1, Padding::valid, 7, 7);
  EXPECT_EQ(w.pad_begin + w.pad_end, 0);
  EXPECT_EQ(w.output(5), 2);
}

TEST(Window, SameOutputIsInputOverStrideRoundedUp) {
  for (auto padding : {Padding::same_upper, Padding::same_lower})
    for (int64_t input = 1; input < 12; ++input)
      for (int64_t size = 1; size < 6; ++size)
        for (int64_t stride = 1; stride < 5; ++stride)
          for (int64_t dilation = 1; dilation < 3; ++dilation) {
            auto w = make_window(input, size, stride, dilation, padding, 0, 0);
            EXPECT_EQ(w.output(input), (input + stride - 1) / stride);
            EXPECT_LE(std::abs(w.pad_begin - w.pad_end), 1);
          }
}

TEST(Conv, SameUpperStride2On7x5) {
  // x counts from 0; each output sums a window of ones. Pads: 7 rows -> [1, 1], 5 columns -> [1, 1].
  Tensor x(Type{DType::f64, {1, 1, 7, 5}});
  for (int64_t i = 0; i < 35; ++i) x.real[i] = static_cast<double>(i);
  Conv op{{.strides = {2, 2}, .padding = Padding::same_upper}};
  auto y = run(op, {x, real({1, 1, 3, 3}, std::vector<double>(9, 1))})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 1, 4, 3}));
  EXPECT_EQ(y.real, (std::vector<double>{12, 27, 24, 63, 108, 81, 123, 198, 141, 112, 177, 124}));
  // With a kernel of 2 the one odd zero stands at the end.
  auto y2 = run(op, {x, real({1, 1, 2, 2}, std::vector<double>(4, 1))})[0];
  EXPECT_EQ(y2.real, (std::vector<double>{12, 20, 13, 52, 60, 33, 92, 100, 53, 61, 65, 34}));
}

TEST(Conv, GroupsAreConvolutionsOfTheirOwn) {
  auto x = wavy({2, 4, 5, 6}, 0.1), w = wavy({6, 2, 3, 2}, 0.7);
  ConvAttrs attrs{.strides = {2, 1}, .pads = {1, 0, 1, 2}};
  ConvAttrs grouped = attrs;
  grouped.groups = 2;
  auto y = run(Conv{grouped}, {x, w})[0];
  int64_t plane = y.shape()[2] * y.shape()[3];
  for (int64_t g = 0; g < 2; ++g) {
    Tensor xg(Type{DType::f64, {2, 2, 5, 6}}), wg(Type{DType::f64, {3, 2, 3, 2}});
    for (int64_t n = 0; n < 2; ++n)
      std::copy_n(x.real.begin() + (n * 4 + g * 2) * 30, 60, xg.real.begin() + n * 60);
    std::copy_n(w.real.begin() + g * 36, 36, wg.real.begin());
    auto yg = run(Conv{attrs}, {xg, wg})[0];
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t i = 0; i < 3 * plane; ++i)
        EXPECT_EQ(yg.real[n * 3 * plane + i], y.real[(n * 6 + g * 3) * plane + i]);
  }
}

TEST(Conv, RefusesInTheNamesOfItsInputs) {
  auto infer = [](ConvAttrs attrs, Shape x, Shape w) {
    return [=] { Conv{attrs}.infer({{DType::f32, x}, {DType::f32, w}}); };
  };
  expect_says(infer({}, {2, 3, 8}, {4, 3, 3, 3}), {"conv", "x has 3 axes", "[2,3,8]"});
  expect_says(infer({}, {2, 3, 8, 8}, {4, 3, 3}), {"w has 3 axes"});
  expect_says(infer({}, {2, 3, 8, 8}, {4, 5, 3, 3}), {"3 channels of x", "[4,5,3,3]", "[4,3,3,3]"});
  expect_says(infer({.groups = 2}, {2, 3, 8, 8}, {4, 1, 3, 3}), {"3 channels of x", "2 groups"});
  expect_says(infer({.groups = 2}, {2, 4, 8, 8}, {3, 2, 3, 3}), {"3 out channels of w", "2 groups"});
  expect_says(infer({}, {2, 3, 8, 2}, {4, 3, 3, 3}), {"kernel is larger", "width", "3", "2"});
  // One short: the quotient alone would round towards zero and give one output.
  expect_says(infer({.strides = {4, 4}}, {2, 3, 2, 8}, {4, 3, 3, 3}), {"kernel is larger", "height"});
  expect_says(infer({.strides = {0, 1}}, {2, 3, 8, 8}, {4, 3, 3, 3}), {"strides", "[0,1]"});
  expect_says(infer({.pads = {1, 1}}, {2, 3, 8, 8}, {4, 3, 3, 3}), {"pads needs 4"});
  expect_says(
      [] {
        Conv{}.infer({{DType::i32, {1, 1, 1, 1}}, {DType::f32, {1, 1, 1, 1}}});
      },
      {"x must be floating point", "i32"});
  expect_says(
      [] {
        Conv{}.infer({{DType::f32, {1, 1, 1, 1}}, {DType::f64, {1, 1, 1, 1}}});
      },
      {"w", "f64", "f32"});
  expect_says(
      [] {
        ConvBackwardData{{}, {1, 1, 5, 5}}.infer({{DType::f32, {1, 1, 5, 5}}, {DType::f32, {1, 1, 3, 3}}});
      },
      {"dy", "f32[1,1,5,5]", "f32[1,1,3,3]"});
}

// ---- pooling
// ------------------------------------------------------------------------------------------------

TEST(MaxPool, TiesGoToTheFirstInRowOrder) {
  MaxPoolBackward op{{{2, 2}, {2, 2}, {0, 0, 0, 0}, Padding::given}};
  auto x = real({1, 1, 2, 4}, {1, 3, 5, 5, 3, 3, 5, 5});
  auto y = run(MaxPool{op}, {x})[0];
  EXPECT_EQ(y.real, (std::vector<double>{3, 5}));
  auto dx = run(op, {x, y, real({1, 1, 1, 2}, {10, 20})})[0];
  EXPECT_EQ(dx.real, (std::vector<double>{0, 10, 20, 0, 0, 0, 0, 0}));
}

TEST(MaxPool, PaddingNeverWinsAndNanDoes) {
  MaxPool op{{{3, 3}, {3, 3}, {1, 1, 1, 1}, Padding::given}};
  EXPECT_EQ(run(op, {real({1, 1, 1, 1}, {-7})})[0].real[0], -7);
  double nan = std::numeric_limits<double>::quiet_NaN();
  auto x = real({1, 1, 2, 2}, {1, nan, 9, 2});
  auto y = run(op, {x})[0];
  EXPECT_TRUE(std::isnan(y.real[0]));
  EXPECT_EQ(run(MaxPoolBackward{op}, {x, y, real({1, 1, 1, 1}, {1})})[0].real,
            (std::vector<double>{0, 1, 0, 0}));
}

TEST(Pool, RefusesWindowsOfPaddingOnly) {
  expect_says(
      [] {
        AvgPool{{{2, 2}, {1, 1}, {2, 0, 0, 0}, Padding::given}, false}.infer({{DType::f32, {1, 1, 4, 4}}});
      },
      {"avg_pool", "pads", "[2,0,0,0]"});
  expect_says(
      [] {
        MaxPool{{{3, 3}, {1, 1}, {0, 0, 0, 0}, Padding::given}}.infer({{DType::f32, {1, 1, 2, 4}}});
      },
      {"max_pool", "height"});
}

// ---- cross entropy
// ------------------------------------------------------------------------------------------

TEST(CrossEntropy, BadLabelNamesRowLabelAndClasses) {
  auto logits = wavy({3, 4}, 0);
  for (int64_t bad : {4, -1}) {
    auto act = [&] { run(CrossEntropy{}, {logits, whole(DType::i32, {3}, {0, 3, bad})}); };
    expect_says(act, {"row 2", "label " + std::to_string(bad), "4 classes"});
    EXPECT_EQ(error_of(act).kind, ErrorKind::data);
  }
}

TEST(CrossEntropy, HugeLogitsStayFinite) {
  auto logits = real({2, 3}, {1e30, -1e30, 0, 1e4, 1e4, 1e4});
  auto label = whole(DType::i32, {2}, {0, 2});
  auto out = run(CrossEntropy{}, {logits, label});
  EXPECT_EQ(out[0].real[0], 0);
  EXPECT_NEAR(out[0].real[1], std::log(3.0), 1e-9);
  auto dx = run(CrossEntropyBackward{}, {real({2}, {1, 1}), logits, label, out[1]})[0];
  EXPECT_EQ(dx.real[0], 0);
  EXPECT_NEAR(dx.real[5], 1.0 / 3 - 1, 1e-9);
}

// ---- dropout
// ------------------------------------------------------------------------------------------------

struct Draw {
  float rate = 0.5f;
  uint64_t use = 1;
  int64_t seed = 42, step = 7;
  std::vector<int64_t> keys{11, 12, 13};
};
/// Which elements of (rows, columns) are kept, as 0 and 1.
std::vector<double> mask(const Draw& d, int64_t columns) {
  auto rows = static_cast<int64_t>(d.keys.size());
  Tensor x(Type{DType::f64, {rows, columns}});
  x.real.assign(x.real.size(), 1);
  auto y = run(Dropout{d.rate, d.use}, {x, whole(DType::u64, {}, {d.seed}), whole(DType::i64, {}, {d.step}),
                                        whole(DType::u64, {rows}, d.keys)})[0];
  double scale = 1 / (1 - static_cast<double>(d.rate));
  for (auto& v : y.real) {
    EXPECT_TRUE(v == 0 || v == scale);
    v = v != 0;
  }
  return y.real;
}

TEST(Dropout, MaskIsAFunctionOfItsCoordinates) {
  Draw d;
  auto first = mask(d, 101);
  EXPECT_EQ(first, mask(d, 101));
  for (auto change :
       {+[](Draw& o) { o.step = 8; }, +[](Draw& o) { o.use = 2; }, +[](Draw& o) { o.seed = 43; },
        +[](Draw& o) {
          o.keys = {21, 22, 23};
        }}) {
    Draw other = d;
    change(other);
    EXPECT_NE(first, mask(other, 101));
  }
}

TEST(Dropout, ARowDoesNotDependOnItsNeighbours) {
  Draw three, one, turned;
  one.keys = {12};
  turned.keys = {99, 11, 98, 12};
  auto all = mask(three, 37), alone = mask(one, 37), mixed = mask(turned, 37);
  for (int64_t i = 0; i < 37; ++i) {
    EXPECT_EQ(all[37 + i], alone[i]);
    EXPECT_EQ(mixed[3 * 37 + i], alone[i]);
    EXPECT_EQ(mixed[37 + i], all[i]);
  }
}

TEST(Dropout, RateIsMet) {
  for (float rate : {0.1f, 0.5f, 0.9f}) {
    Draw d;
    d.rate = rate;
    d.keys = {5};
    double kept = 0, n = 100000;
    for (double v : mask(d, 100000)) kept += v;
    EXPECT_NEAR(kept / n, 1 - rate, 3 * std::sqrt(rate * (1 - rate) / n)) << rate;
  }
}

TEST(Dropout, RateZeroIsIdentityAndRateOneIsRefused) {
  Draw d;
  d.rate = 0;
  for (double v : mask(d, 50)) EXPECT_EQ(v, 1);
  for (float rate : {1.0f, -0.1f, std::nanf("")})
    expect_says(
        [=] {
          Dropout{rate, 0}.infer(
              {{DType::f32, {2, 3}}, {DType::u64, {}}, {DType::i64, {}}, {DType::u64, {2}}});
        },
        {"rate is out of range"});
  expect_says(
      [] {
        Dropout{}.infer({{DType::f32, {2, 3}}, {DType::u64, {}}, {DType::i64, {}}, {DType::u64, {3}}});
      },
      {"key", "u64[3]", "u64[2]"});
}

// ---- steps that are skipped
// ---------------------------------------------------------------------------------

TEST(SkippedStep, LeavesEverythingAsItWas) {
  double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  auto w = real({3}, {1, 2, 3}), m = real({3}, {-1, 0.5, 4}), g = real({3}, {nan, inf, 1});
  for (auto form : {SgdForm::rate_outside, SgdForm::rate_inside})
    for (bool nesterov : {false, true}) {
      auto out = run(Sgd{{form, 0.9, nesterov, 1e-2}}, {w, g, m, real({}, {0.1}), truth(false)});
      EXPECT_EQ(out[0].real, w.real);
      EXPECT_EQ(out[1].real, m.real);
    }
  EXPECT_EQ(run(RunningAverage{0.1, 3}, {w, g, truth(false)})[0].real, w.real);
  auto counter = whole(DType::i64, {}, {41});
  EXPECT_EQ(run(Advance{}, {counter, truth(false)})[0].whole[0], 41);
  EXPECT_EQ(run(Advance{}, {counter, truth(true)})[0].whole[0], 42);
}

TEST(RunningAverage, MomentumIsTheShareOfTheNewValue) {
  auto old = real({2}, {1, 2}), batch = real({2}, {3, 4});
  EXPECT_EQ(run(RunningAverage{1, 0}, {old, batch, truth(true)})[0].real, batch.real);
  EXPECT_EQ(run(RunningAverage{0, 0}, {old, batch, truth(true)})[0].real, old.real);
  EXPECT_EQ(run(RunningAverage{0.25, 0}, {old, batch, truth(true)})[0].real, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(run(RunningAverage{1, 2}, {old, batch, truth(true)})[0].real, (std::vector<double>{6, 8}));
  Type t{DType::f32, {2}};
  expect_says([&] { RunningAverage{0.1, 1}.infer({t, t, {DType::pred, {}}}); }, {"single value per channel"});
}

TEST(BatchNorm, GradientsIntoStatisticsAreRefused) {
  Graph graph;
  auto x = graph.stream("x", {DType::f32, {4, 2, 3, 3}}), c = graph.stream("c", {DType::f32, {2}});
  auto out = batch_norm(x, c, c);
  EXPECT_EQ(out.mean.type(), c.type());
  NodeView node{&graph, graph.producer(out.y.id)};
  EXPECT_EQ(BatchNorm{}.grad(node, {out.y, {}, {}}).size(), 3u);
  expect_says([&] { BatchNorm{}.grad(node, {out.y, out.mean, {}}); }, {"batch_norm", "mean and var"});
}

// ---- schedules
// ----------------------------------------------------------------------------------------------

TEST(Schedule, WarmUpMeetsTheDecay) {
  PolynomialDecay s{.rate = 10, .end = 1e-4, .power = 2, .decay_steps = 81, .warmup_steps = 20};
  // The MLPerf TensorFlow 2 reference: rate * step / warm-up while step <= warm-up, then decay over 100 - 20
  // + 1 steps.
  EXPECT_EQ(s.at(0, 100), 0);
  EXPECT_DOUBLE_EQ(s.at(5, 100), 2.5);
  EXPECT_DOUBLE_EQ(s.at(20, 100), 10);
  EXPECT_DOUBLE_EQ(s.at(60, 100), (10 - 1e-4) * (1 - 40.0 / 81) * (1 - 40.0 / 81) + 1e-4);
  EXPECT_DOUBLE_EQ(s.at(101, 100), 1e-4);
  EXPECT_DOUBLE_EQ(s.at(500, 100), 1e-4);
  StepDecay d{.rate = 1, .milestones = {30, 60}, .factor = 0.5, .warmup_steps = 10, .warmup_start = 0.1};
  EXPECT_DOUBLE_EQ(d.at(0, 90), 0.1);
  EXPECT_DOUBLE_EQ(d.at(29, 90), 1);
  EXPECT_DOUBLE_EQ(d.at(30, 90), 0.5);
  EXPECT_DOUBLE_EQ(d.at(60, 90), 0.25);
}

TEST(Schedule, ShortTrainingsAreFinite) {
  for (const auto& info : all_schedules())
    for (int64_t total : {1, 2, 3, 4})
      for (float rate : rate_table(make_schedule(info.name), total))
        EXPECT_TRUE(std::isfinite(rate) && rate >= 0) << info.name;
  ConstantRate longer{.rate = 1, .warmup_steps = 10};
  EXPECT_FLOAT_EQ(rate_table(longer, 4).back(), 0.3f);
}

TEST(Schedule, RefusesByName) {
  expect_says([] { make_schedule("cosin"); }, {"cosin", "cosine"});
  expect_says([] { rate_table(ConstantRate{.rate = -1}, 10); }, {"constant", "rate", "-1"});
  expect_says([] { rate_table(StepDecay{.milestones = {30, 10}}, 10); }, {"step", "milestones", "[30,10]"});
  expect_says([] { rate_table(CosineDecay{}, 0); }, {"total_steps"});
}

}  // namespace
}  // namespace lockstep
