// Values by hand, where a formula leaves a choice: NaN, ties, overflow, rounding, bad indices.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lockstep/ir/interpret.h"
#include "lockstep/ops/all_finite.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/cast.h"
#include "lockstep/ops/compare.h"
#include "lockstep/ops/concat.h"
#include "lockstep/ops/constant.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/gather.h"
#include "lockstep/ops/matmul.h"
#include "lockstep/ops/pad.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/select.h"
#include "lockstep/ops/slice.h"
#include "lockstep/ops/softmax.h"
#include "lockstep/ops/top_k.h"
#include "lockstep/ops/transpose.h"

namespace lockstep {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
constexpr int64_t lowest = std::numeric_limits<int64_t>::min(), highest = std::numeric_limits<int64_t>::max();

Tensor real(Shape shape, std::vector<double> values, DType dtype = DType::f64) {
  Tensor t(Type{dtype, std::move(shape)});
  EXPECT_EQ(t.real.size(), values.size());
  t.real = std::move(values);
  return t;
}
Tensor real(std::vector<double> values) {
  auto n = static_cast<int64_t>(values.size());
  return real({n}, std::move(values));
}
Tensor whole(DType dtype, std::vector<int64_t> values) {
  Tensor t(Type{dtype, {static_cast<int64_t>(values.size())}});
  t.whole = std::move(values);
  return t;
}

/// Rounded to the types, as a run would be.
template <class T>
Tensor run(const T& op, const Tensors& inputs) {
  std::vector<const Tensor*> in;
  for (const auto& t : inputs) in.push_back(&t);
  return evaluate(op_row<T>(), &op, in)[0];
}

void expect_same(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got[i])) << "element " << i << " is " << got[i];
    else
      EXPECT_EQ(got[i], want[i]) << "element " << i;
  }
}

template <class F>
Error error_of(F act) {
  try {
    act();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "nothing was thrown";
  return user_error("nothing");
}

TEST(Values, NanIsKept) {
  expect_same(run(Relu{}, {real({nan, -1, 0, 2, -inf, inf})}).real, {nan, 0, 0, 2, 0, inf});
  expect_same(run(Maximum{}, {real({nan, 1, 2, 3}), real({1, nan, 3, 2})}).real, {nan, nan, 3, 3});
  expect_same(run(Minimum{}, {real({nan, 1, 2, 3}), real({1, nan, 3, 2})}).real, {nan, nan, 2, 2});
  expect_same(run(ReduceMax{}, {real({1, nan, 3})}).real, {nan});
  expect_same(run(ReluBackward{}, {real({5, 5, 5}), real({nan, 0, 1})}).real, {0, 0, 5});
}

TEST(Values, NoComparisonHoldsForNan) {
  Tensor a = real({nan, 1, nan, 0, 1}), b = real({1, nan, nan, -0.0, 2});
  EXPECT_EQ(run(Less{}, {a, b}).whole, (std::vector<int64_t>{0, 0, 0, 0, 1}));
  EXPECT_EQ(run(Equal{}, {a, b}).whole, (std::vector<int64_t>{0, 0, 0, 1, 0}));
  EXPECT_EQ(run(Greater{}, {a, b}).whole, (std::vector<int64_t>{0, 0, 0, 0, 0}));
}

TEST(Values, NaturalNumbersHaveNoSign) {
  Tensor big = whole(DType::u64, {-1}), one = whole(DType::u64, {1});  // -1 is 2^64 - 1
  EXPECT_EQ(run(Greater{}, {big, one}).whole[0], 1);
  EXPECT_EQ(run(Maximum{}, {big, one}).whole[0], -1);
  EXPECT_EQ(run(Div{}, {big, whole(DType::u64, {2})}).whole[0], highest);
  EXPECT_EQ(run(Cast{DType::f64}, {big}).real[0], 0x1p64);
  Tensor both = whole(DType::u64, {1, -1});
  EXPECT_EQ(run(ReduceMax{}, {both}).whole[0], -1);
}

TEST(Values, IntegersWrapAndTruncate) {
  EXPECT_EQ(run(Add{}, {whole(DType::i64, {highest}), whole(DType::i64, {1})}).whole[0], lowest);
  EXPECT_EQ(run(Mul{}, {whole(DType::i32, {1 << 30}), whole(DType::i32, {4})}).whole[0], 0);
  EXPECT_EQ(run(Sub{}, {whole(DType::u8, {3}), whole(DType::u8, {5})}).whole[0], 254);
  EXPECT_EQ(run(Div{}, {whole(DType::i32, {-7, 7}), whole(DType::i32, {2, -2})}).whole,
            (std::vector<int64_t>{-3, -3}));
  EXPECT_EQ(run(Div{}, {whole(DType::i64, {lowest}), whole(DType::i64, {-1})}).whole[0], lowest);
  auto e = error_of([] { run(Div{}, {whole(DType::i32, {1}), whole(DType::i32, {0})}); });
  EXPECT_EQ(e.kind, ErrorKind::data);
}

TEST(Values, SoftmaxOfHugeValues) {
  expect_same(run(Softmax{}, {real({1e300, 1e300})}).real, {0.5, 0.5});
  expect_same(run(Softmax{}, {real({0, -1e300, -inf})}).real, {1, 0, 0});
  expect_same(run(LogSoftmax{}, {real({0, -1e300, -inf})}).real, {0, -1e300, -inf});
  expect_same(run(Softmax{}, {real({nan, 0})}).real, {nan, nan});
  EXPECT_NEAR(run(LogSoftmax{}, {real({1000, 1000, 1000})}).real[0], -std::log(3.0), 1e-15);
}

TEST(Values, SigmoidDoesNotOverflow) {
  expect_same(run(Sigmoid{}, {real({-1e300, 0, 1e300, nan})}).real, {0, 0.5, 1, nan});
}

TEST(Values, GatherOutOfRangeNamesIndexAndRange) {
  Tensor table = real({2, 1}, {10, 20});
  expect_same(run(Gather{}, {table, whole(DType::i32, {1, 0, 1})}).real, {20, 10, 20});
  for (int64_t bad : {int64_t{2}, int64_t{-1}, highest}) {
    auto e = error_of([&] { run(Gather{}, {table, whole(DType::i64, {0, bad})}); });
    EXPECT_EQ(e.kind, ErrorKind::data);
    EXPECT_NE(e.problem.find("index[1] = " + std::to_string(bad)), std::string::npos) << e.what();
    EXPECT_EQ(e.want, "0..1");
  }
  auto e = error_of([&] { run(GatherBackward{3}, {real({1.0}), whole(DType::i32, {3})}); });
  EXPECT_EQ(e.kind, ErrorKind::data);
}

TEST(Values, GatherBackwardAddsInOrderOfTheIndex) {
  // 1e16 + 1 - 1e16 is 0 in this order and 1 in others.
  expect_same(run(GatherBackward{2}, {real({1e16, 1, -1e16, 5}), whole(DType::i32, {0, 0, 0, 1})}).real,
              {0, 5});
}

TEST(Values, TopKTiesGoToTheSmallerIndex) {
  auto correct = [](int64_t k, int64_t label, std::vector<double> logits) {
    auto classes = static_cast<int64_t>(logits.size());
    return run(TopKCorrect{k}, {real({1, classes}, std::move(logits)), whole(DType::i32, {label})}).real[0];
  };
  EXPECT_EQ(correct(1, 0, {3, 3, 1}), 1);
  EXPECT_EQ(correct(1, 1, {3, 3, 1}), 0);
  EXPECT_EQ(correct(2, 1, {3, 3, 1}), 1);
  EXPECT_EQ(correct(2, 2, {3, 3, 1}), 0);
  EXPECT_EQ(correct(9, 2, {3, 3, 1}), 1);
  EXPECT_EQ(correct(1, 0, {nan, 1, 2}), 0);
  EXPECT_EQ(correct(9, 0, {nan, nan, nan}), 0);
  EXPECT_EQ(correct(1, 1, {nan, 5, 2}), 1);
  EXPECT_EQ(correct(1, 0, {inf, 5, -inf}), 1);
  EXPECT_EQ(error_of([&] { correct(1, 3, {1, 2, 3}); }).kind, ErrorKind::data);
}

TEST(Values, AllFinite) {
  auto finite = [](const Tensors& xs) { return run(AllFinite{}, xs).whole[0]; };
  EXPECT_EQ(finite({real({1, 2}), real({1e308})}), 1);
  EXPECT_EQ(finite({real({})}), 1);
  EXPECT_EQ(finite({real({1, 2}), real({inf})}), 0);
  EXPECT_EQ(finite({real({-inf}), real({1})}), 0);
  EXPECT_EQ(finite({real({1, nan})}), 0);
}

TEST(Values, CastRoundsToNearestEven) {
  Tensor x = real({1 + 0x1p-11, 1 + 0x3p-11, 65504, 65519, 65520, -1e9, 0x1p-24, 0x1p-25, 0x1.8p-25, nan});
  expect_same(run(Cast{DType::f16}, {x}).real,
              {1, 1 + 0x1p-9, 65504, 65504, inf, -inf, 0x1p-24, 0, 0x1p-24, nan});
  expect_same(run(Cast{DType::bf16}, {real({1 + 0x1p-8, 1 + 0x3p-8, 3.4e38, nan})}).real,
              {1, 1 + 0x1p-6, inf, nan});
  expect_same(run(Cast{DType::f32}, {real({1 + 0x1p-24, 1e39, 0.1})}).real,
              {1, inf, static_cast<double>(0.1F)});
}

TEST(Values, CastToIntegersTruncatesAndClamps) {
  Tensor x = real({1.9, -1.9, -0.5, 1e20, -1e20, inf, nan});
  EXPECT_EQ(run(Cast{DType::i32}, {x}).whole,
            (std::vector<int64_t>{1, -1, 0, 2147483647, -2147483648LL, 2147483647, 0}));
  EXPECT_EQ(run(Cast{DType::i64}, {x}).whole, (std::vector<int64_t>{1, -1, 0, highest, lowest, highest, 0}));
  EXPECT_EQ(run(Cast{DType::u8}, {x}).whole, (std::vector<int64_t>{1, 0, 0, 255, 0, 255, 0}));
  EXPECT_EQ(run(Cast{DType::u64}, {x}).whole, (std::vector<int64_t>{1, 0, 0, -1, 0, -1, 0}));
  EXPECT_EQ(run(Cast{DType::pred}, {real({0, -0.0, 0.5, nan})}).whole, (std::vector<int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(run(Cast{DType::u8}, {whole(DType::i32, {-1, 256, 257})}).whole,
            (std::vector<int64_t>{255, 0, 1}));
  EXPECT_EQ(run(Cast{DType::pred}, {whole(DType::i32, {-1, 256, 0})}).whole, (std::vector<int64_t>{1, 1, 0}));
}

TEST(Values, MatmulAgreesWithATripleLoop) {
  constexpr int64_t L = 3, M = 5, K = 7, N = 9;
  auto wave = [](int64_t i) { return std::sin(1.3 * static_cast<double>(i)); };
  auto a = [&](int64_t l, int64_t i, int64_t k) { return wave(l * 1000 + i * 10 + k); };
  auto b = [&](int64_t l, int64_t k, int64_t j) { return wave(l * 777 + k * 20 + j + 5); };
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      for (bool shared : {false, true}) {
        Tensor x(Type{DType::f64, ta ? Shape{L, K, M} : Shape{L, M, K}}),
            y(Type{DType::f64, tb ? Shape{N, K} : Shape{K, N}});
        if (!shared) y = Tensor(Type{DType::f64, tb ? Shape{L, N, K} : Shape{L, K, N}});
        for (int64_t l = 0; l < L; ++l)
          for (int64_t k = 0; k < K; ++k) {
            for (int64_t i = 0; i < M; ++i) x.real[l * M * K + (ta ? k * M + i : i * K + k)] = a(l, i, k);
            for (int64_t j = 0; j < N && (l == 0 || !shared); ++j)
              y.real[l * N * K + (tb ? j * K + k : k * N + j)] = b(l, k, j);
          }
        Tensor got = run(Matmul{ta, tb}, {x, y});
        ASSERT_EQ(got.shape(), (Shape{L, M, N}));
        for (int64_t l = 0; l < L; ++l)
          for (int64_t i = 0; i < M; ++i)
            for (int64_t j = 0; j < N; ++j) {
              double want = 0;
              for (int64_t k = 0; k < K; ++k) want += a(l, i, k) * b(shared ? 0 : l, k, j);
              EXPECT_EQ(got.real[(l * M + i) * N + j], want)
                  << "transposed " << ta << tb << " shared " << shared;
            }
      }
}

TEST(Values, MatmulOverNothingIsZero) {
  expect_same(run(Matmul{}, {real({2, 0}, {}), real({0, 2}, {})}).real, {0, 0, 0, 0});
}

TEST(Values, ReductionsOverAxes) {
  Tensor x = real({2, 3}, {1, 2, 3, 4, 5, 7});
  ReduceSum sum;
  sum.axes = {-1};
  expect_same(run(sum, {x}).real, {6, 16});
  ReduceMean mean;
  mean.axes = {0};
  expect_same(run(mean, {x}).real, {2.5, 3.5, 5});
  expect_same(run(ReduceMax{}, {x}).real, {7});
  expect_same(run(ReduceSum{}, {real({})}).real, {0});
  ReduceMaxBackward back;
  expect_same(run(back, {real({}, {9}), real({3, 5, 5, 1})}).real, {0, 9, 0, 0});
  expect_same(run(back, {real({}, {9}), real({3, nan, nan, 1})}).real, {0, 9, 0, 0});
}

TEST(Values, MovesOfElements) {
  Tensor x = real({2, 3}, {1, 2, 3, 4, 5, 6});
  expect_same(run(Transpose{{1, 0}}, {x}).real, {1, 4, 2, 5, 3, 6});
  expect_same(run(Slice{{0, 1}, {2, 3}}, {x}).real, {2, 3, 5, 6});
  expect_same(run(PadZero{{0, 1}, {1, 0}}, {x}).real, {0, 1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0});
  expect_same(run(Concat{1}, {x, real({2, 1}, {7, 8})}).real, {1, 2, 3, 7, 4, 5, 6, 8});
  expect_same(run(BroadcastTo{{2, 2}}, {real({2, 1}, {7, 8})}).real, {7, 7, 8, 8});
  expect_same(run(SumTo{{3}}, {x}).real, {5, 7, 9});
  expect_same(run(SumTo{{2, 1}}, {x}).real, {6, 15});
}

TEST(Values, SelectIgnoresWhatIsNotChosen) {
  expect_same(run(Select{}, {whole(DType::pred, {1, 0}), real({1, nan}), real({inf, 2})}).real, {1, 2});
}

TEST(Values, ConstantHoldsItsValue) {
  EXPECT_EQ(run(Constant{0.1, {}, DType::f32}, {}).real[0], static_cast<double>(0.1F));
  EXPECT_EQ(run(Constant{0x1p63, {1}, DType::u64}, {}).whole[0], lowest);
  EXPECT_EQ(run(Constant{-3, {1}, DType::i32}, {}).whole[0], -3);
}

}  // namespace
}  // namespace lockstep
