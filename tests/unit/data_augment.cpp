#include "lockstep/data/augment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using Image = std::vector<uint8_t>;

Image augmented(const Augment& a, const Shape& chw, int64_t epoch, int64_t index, const Image& in,
                uint64_t seed = 1) {
  Image out(in.size(), 0xee);
  augment_image(a, seed, epoch, index, chw, in.data(), out.data());
  return out;
}

Image counting(const Shape& chw) {
  Image image(static_cast<size_t>(elements(chw)));
  std::iota(image.begin(), image.end(), uint8_t{1});
  return image;
}

/// The obvious way: pixel by pixel out of a padded picture.
Image cropped(const Shape& chw, const Image& in, int64_t dy, int64_t dx, bool flip) {
  Image out;
  for (int64_t c = 0; c < chw[0]; ++c)
    for (int64_t y = 0; y < chw[1]; ++y)
      for (int64_t x = 0; x < chw[2]; ++x) {
        int64_t from_y = y + dy, from_x = (flip ? chw[2] - 1 - x : x) + dx;
        bool inside = from_y >= 0 && from_y < chw[1] && from_x >= 0 && from_x < chw[2];
        out.push_back(inside ? in[static_cast<size_t>((c * chw[1] + from_y) * chw[2] + from_x)] : uint8_t{0});
      }
  return out;
}

TEST(Augment, NothingAskedNothingChanged) {
  Shape chw{2, 3, 4};
  EXPECT_EQ(augmented({}, chw, 0, 0, counting(chw)), counting(chw));
}

TEST(Augment, EveryResultIsOneOfTheCropsAndEachIsAsLikely) {
  Shape chw{2, 4, 5};
  auto in = counting(chw);
  std::map<Image, int64_t> counts;
  for (int64_t dy = -2; dy <= 2; ++dy)
    for (int64_t dx = -2; dx <= 2; ++dx)
      for (bool flip : {false, true}) counts[cropped(chw, in, dy, dx, flip)] = 0;
  ASSERT_EQ(counts.size(), 50u);
  for (int64_t i = 0; i < 10'000; ++i) {
    auto found = counts.find(augmented({2, true}, chw, i % 7, i, in));
    ASSERT_NE(found, counts.end());
    ++found->second;
  }
  double chi = 0;
  for (const auto& [image, n] : counts) chi += static_cast<double>((n - 200) * (n - 200)) / 200;
  EXPECT_LT(chi, 95);  // 49 degrees of freedom, p = 1e-4
}

TEST(Augment, DependsOnSeedEpochAndIndexOnly) {
  Shape chw{1, 9, 9};
  auto in = counting(chw);
  Augment a{4, true};
  EXPECT_EQ(augmented(a, chw, 3, 5, in), augmented(a, chw, 3, 5, in));
  int same_epoch = 0, same_index = 0, same_seed = 0;
  for (int64_t i = 0; i < 100; ++i) {
    same_epoch += augmented(a, chw, i, 5, in) == augmented(a, chw, i + 1, 5, in);
    same_index += augmented(a, chw, 3, i, in) == augmented(a, chw, 3, i + 1, in);
    same_seed += augmented(a, chw, 3, i, in, 1) == augmented(a, chw, 3, i, in, 2);
  }
  EXPECT_LT(same_epoch, 10);
  EXPECT_LT(same_index, 10);
  EXPECT_LT(same_seed, 10);
}

TEST(Augment, RefusesWhatMakesNoSense) {
  Shape chw{1, 4, 6};
  Image image(24);
  EXPECT_THROW(augment_image({1, true}, 0, 0, 0, chw, image.data(), image.data()), Error);
  expect_error(error_of([&] { Augment{-1, false}.check(chw); }), ErrorKind::user, {"pad", "-1", "0 to 3"});
  expect_error(error_of([&] { Augment{4, false}.check(chw); }), ErrorKind::user, {"pad", "0 to 3"});
  Augment{3, false}.check(chw);
  EXPECT_EQ(record_text(Augment{2, true}), "{pad=2, flip=true}");
}

}  // namespace
}  // namespace lockstep
