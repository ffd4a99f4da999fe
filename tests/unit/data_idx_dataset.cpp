#include "lockstep/data/idx_dataset.h"

#include <gtest/gtest.h>

#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using std::string;

TEST(IdxDataset, ReadsSamplesPlainOrGzip) {
  TempFolder folder;
  auto images = folder.write("images", idx_bytes({2, 1, 3}, "abcdef"));
  folder.write("labels.gz", gzipped(idx_bytes({2}, "\3\1")));
  IdxDataset data(images, folder / "labels", 4);
  EXPECT_EQ(data.size(), 2);
  EXPECT_EQ(data.classes(), 4);
  EXPECT_EQ(data.image_type(), (Type{DType::u8, {1, 1, 3}}));
  uint8_t image[3];
  int32_t label;
  data.read(1, image, &label);
  EXPECT_EQ(string(image, image + 3), "def");
  EXPECT_EQ(label, 1);
  EXPECT_THROW(data.read(2, image, &label), Error);
  auto streams = sample_streams(data);
  ASSERT_EQ(streams.size(), 4u);
  EXPECT_EQ(streams[0], (StreamSpec{"image", {DType::u8, {1, 1, 3}}}));
  EXPECT_EQ(streams[3], (StreamSpec{"sample_key", {DType::u64, {}}}));
}

TEST(IdxDataset, PrefersThePathGiven) {
  TempFolder folder;
  auto images = folder.write("images", idx_bytes({1, 1, 1}, "a"));
  folder.write("images.gz", "nonsense");
  EXPECT_EQ(IdxDataset(images, folder.write("labels", idx_bytes({1}, string(1, '\0'))), 1).size(), 1);
}

void expect_refused(const string& images, const string& labels, const std::vector<string>& parts) {
  TempFolder folder;
  auto a = folder.write("images", images), b = folder.write("labels", labels);
  expect_error(error_of([&] { IdxDataset(a, b, 10); }), ErrorKind::data, parts);
}

TEST(IdxDataset, NamesTheRecordOfABadLabel) {
  string labels(60, '\0');
  labels[57] = 11;
  string images = idx_bytes({60, 1, 1}, string(60, 'x'));
  expect_refused(images, idx_bytes({60}, labels),
                 {"label 11 of record 57 is out of range", "labels: byte 65", "0 to 9"});
  expect_refused(images, gzipped(idx_bytes({60}, labels)), {"byte 65 of the inflated data"});
}

TEST(IdxDataset, RefusesPairsThatDoNotMatch) {
  string images = idx_bytes({2, 1, 1}, "ab"), labels = idx_bytes({2}, "\1\2");
  expect_refused(images, idx_bytes({3}, "\1\2\3"), {"2 images and 3 labels", "images and ", "labels"});
  expect_refused(labels, images, {"images: byte 3", "[2]", "(count, height, width)"});
  expect_refused(images, images, {"labels: byte 3", "[2,1,1]"});
  expect_refused(idx_bytes({0, 1, 1}, ""), idx_bytes({0}, ""), {"empty"});
  expect_refused(idx_bytes({2, 0, 1}, ""), labels, {"empty", "[2,0,1]"});
}

TEST(IdxDataset, MissingFileIsTheUsersError) {
  TempFolder folder;
  auto images = folder.write("images", idx_bytes({1, 1, 1}, "a"));
  expect_error(error_of([&] { IdxDataset(images, folder / "labels", 10); }), ErrorKind::user,
               {(folder / "labels").string(), "labels.gz"});
}

TEST(IdxDataset, ReadsFashionMnist) {
  std::filesystem::path folder = "/usr/share/datasets/fashion-mnist";  // Debian's dataset-fashion-mnist
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  IdxDataset data(folder / "t10k-images-idx3-ubyte", folder / "t10k-labels-idx1-ubyte", 10);
  ASSERT_EQ(data.size(), 10'000);
  EXPECT_EQ(data.image_type(), (Type{DType::u8, {1, 28, 28}}));
  std::vector<int64_t> count(10);
  std::vector<uint8_t> image(784);
  int32_t label = 0;
  for (int64_t i = 0; i < data.size(); ++i) {
    data.read(i, image.data(), &label);
    ++count[static_cast<size_t>(label)];
  }
  EXPECT_EQ(count, std::vector<int64_t>(10, 1000));
}

}  // namespace
}  // namespace lockstep
