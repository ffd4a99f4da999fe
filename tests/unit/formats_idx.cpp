#include "lockstep/formats/idx.h"

#include <gtest/gtest.h>

#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using std::string;

string text_of(const IdxArray& a) { return {a.bytes.begin(), a.bytes.end()}; }

void expect_refused(const string& bytes, const std::vector<string>& parts, ErrorKind kind = ErrorKind::data) {
  TempFolder folder;
  auto path = folder.write("file", bytes);
  auto wanted = parts;
  wanted.push_back(path.string());
  expect_error(error_of([&] { read_idx(path); }), kind, wanted);
}

TEST(Idx, ReadsPlainAndGzipOfEveryRank) {
  TempFolder folder;
  for (const auto& shape : std::vector<std::vector<uint32_t>>{{6}, {2, 3}, {1, 2, 3}, {3, 1, 2, 1}}) {
    auto bytes = idx_bytes(shape, "abcdef");
    auto plain = read_idx(folder.write("plain.gz", bytes));  // the name does not decide
    auto packed = read_idx(folder.write("packed", gzipped(bytes)));
    EXPECT_EQ(plain.shape, Shape(shape.begin(), shape.end()));
    EXPECT_EQ(packed.shape, plain.shape);
    EXPECT_EQ(text_of(plain), "abcdef");
    EXPECT_EQ(text_of(packed), "abcdef");
    EXPECT_FALSE(plain.gzip);
    EXPECT_TRUE(packed.gzip);
  }
}

TEST(Idx, ReadsMoreThanOneChunk) {
  TempFolder folder;
  string elements(5'000'001, 'x');
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<char>(i * 7 >> 3);
  auto bytes = idx_bytes({5'000'001}, elements);
  EXPECT_EQ(text_of(read_idx(folder.write("a", bytes))), elements);
  EXPECT_EQ(text_of(read_idx(folder.write("b", gzipped(bytes)))), elements);
}

TEST(Idx, ReadsGzipOfSeveralMembers) {
  TempFolder folder;
  auto bytes = idx_bytes({6}, "abcdef");
  EXPECT_EQ(text_of(read_idx(folder.write("a", gzipped(bytes.substr(0, 9)) + gzipped(bytes.substr(9))))),
            "abcdef");
}

TEST(Idx, EmptyArrayIsAnArray) {
  TempFolder folder;
  EXPECT_EQ(read_idx(folder.write("a", idx_bytes({0, 28, 28}, ""))).shape, (Shape{0, 28, 28}));
}

TEST(Idx, RefusesWhatIsNotAFile) {
  TempFolder folder;
  expect_error(error_of([&] { read_idx(folder / "none"); }), ErrorKind::user, {"none"});
  expect_error(error_of([&] { read_idx(folder / ""); }), ErrorKind::user, {"lockstep-test"});
}

TEST(Idx, RefusesOtherFormats) {
  expect_refused("", {"empty", "byte 0"});
  expect_refused("\xff\xd8\xff\xe0 JFIF", {"JPEG", "ff d8 ff e0", "byte 0"});
  expect_refused("\x89PNG\r\n", {"PNG"});
  expect_refused("hello world", {"not an IDX file", "68 65 6c 6c"});
  expect_refused(string{0, 0, 0x0d, 1, 0, 0, 0, 1}, {"element type", "32-bit floats", "0x0d", "byte 2"});
  expect_refused(string{0, 0, 0x77, 1, 0, 0, 0, 1}, {"element type", "0x77"});
  expect_refused(string{0, 0, 8, 0}, {"dimensions", "1 to 4", "byte 3"});
  expect_refused(string{0, 0, 8, 5}, {"dimensions"});
}

TEST(Idx, RefusesEveryTruncation) {
  auto whole = idx_bytes({2, 3}, "abcdef");
  for (size_t n = 1; n < whole.size(); ++n) {
    expect_refused(whole.substr(0, n), {n < 12 ? "truncated" : "ends before", "byte " + std::to_string(n)});
    expect_refused(gzipped(whole.substr(0, n)), {"byte " + std::to_string(n) + " of the inflated data"});
  }
}

TEST(Idx, RefusesTrailingBytes) {
  auto bytes = idx_bytes({2, 3}, "abcdef+");
  expect_refused(bytes, {"after the last element", "byte 18", "18 bytes for [2,3]"});
  expect_refused(gzipped(bytes), {"after the last element", "byte 18 of the inflated data"});
  expect_refused(gzipped(bytes.substr(0, 18)) + "tail", {"foreign bytes after the gzip data"});
}

TEST(Idx, RefusesCorruptGzip) {
  auto packed = gzipped(idx_bytes({4, 100}, string(400, 'q')));
  for (size_t n = 2; n < packed.size(); ++n) expect_refused(packed.substr(0, n), {"byte"});
  for (size_t i = 10; i < packed.size(); ++i) {  // bytes of the body, the checksum and the length
    auto bad = packed;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    expect_refused(bad, {"byte"});
  }
}

TEST(Idx, HostileHeaderCostsNoMemory) {
  constexpr uint32_t most = 0xffffffffu;
  expect_refused(idx_bytes({most, most, most}, "x"), {"overflow", "[4294967295,4294967295,4294967295]"});
  expect_refused(idx_bytes({0, most, most, most}, ""), {"overflow"});
  expect_refused(idx_bytes({most, most / 2}, "x"), {"ends before", "1 elements"});
  expect_refused(gzipped(idx_bytes({most, most / 2}, "x")), {"ends before", "1 elements"});
}

}  // namespace
}  // namespace lockstep
