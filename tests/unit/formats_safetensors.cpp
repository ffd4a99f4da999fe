#include "lockstep/formats/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lockstep/base/file.h"
#include "lockstep/formats/safetensors_header.h"
#include "lockstep/formats/utf8.h"
#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using std::string;

string framed(const string& header, const string& data = "") {
  string out(8, '\0');
  uint64_t length = header.size();
  std::memcpy(out.data(), &length, 8);
  return out + header + data;
}

Error refusal(const string& bytes) {
  TempFolder folder;
  auto path = folder.write("weights", bytes);
  auto e = error_of([&] { SafetensorsFile file(path); });
  expect_error(e, ErrorKind::data, {path.string()});
  return e;
}

void expect_refused(const string& bytes, const std::vector<string>& parts) {
  expect_error(refusal(bytes), ErrorKind::data, parts);
}

string entry(const string& name, const string& dtype, const string& shape, const string& offsets) {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets +
         "}";
}

string one(const string& dtype, const string& shape, const string& offsets) {
  return "{" + entry("t", dtype, shape, offsets) + "}";
}

TEST(Safetensors, RoundTripOfEveryType) {
  TempFolder folder;
  string data(48, '\0');
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i % 2);
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  std::vector<TensorView> tensors;
  for (DType dtype : all_dtypes()) tensors.push_back({"t." + string(name_of(dtype)), {dtype, {2, 3}}, bytes});
  tensors.push_back({"scalar \"quoted\" ü", {DType::f32, {}}, bytes});
  tensors.push_back({"nothing", {DType::f32, {2, 0}}, bytes});
  write_safetensors(folder / "a", tensors, {{"format", "pt"}, {"note", "line\nline"}});
  SafetensorsFile file(folder / "a");
  ASSERT_EQ(file.tensors().size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto* t = file.find(tensors[i].name);
    ASSERT_NE(t, nullptr) << tensors[i].name;
    EXPECT_EQ(t->type, tensors[i].type);
    EXPECT_EQ(std::memcmp(t->data, bytes, static_cast<size_t>(t->type.bytes())), 0);
    EXPECT_EQ(file.tensors()[i].name, tensors[i].name);
  }
  EXPECT_EQ(file.find("t.none"), nullptr);
  EXPECT_EQ(file.metadata().at("note"), "line\nline");
}

TEST(Safetensors, WrittenBytesAreExactAndPadded) {
  TempFolder folder;
  const uint8_t data[] = {1, 2, 3, 4};
  write_safetensors(folder / "a", {{"b", {DType::u8, {3}}, data}, {"a", {DType::u8, {1}}, data + 3}},
                    {{"k", "v"}});
  string header = R"({"__metadata__":{"k":"v"},"b":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                  R"("a":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  EXPECT_EQ(read_file(folder / "a"), framed(header, "\1\2\3\4"));
  write_safetensors(folder / "none", {});
  EXPECT_EQ(read_file(folder / "none"), framed("{}      "));
  EXPECT_TRUE(SafetensorsFile(folder / "none").tensors().empty());
}

TEST(Safetensors, WriterRefusesBadNames) {
  TempFolder folder;
  uint8_t byte = 0;
  auto write = [&](const string& a, const string& b) {
    return error_of([&] {
      write_safetensors(folder / "a", {{a, {DType::u8, {1}}, &byte}, {b, {DType::u8, {1}}, &byte}});
    });
  };
  expect_error(write("x", "x"), ErrorKind::user, {"two tensors of one name", "\"x\""});
  expect_error(write("__metadata__", "x"), ErrorKind::user, {"cannot have this name"});
  expect_error(write("", "x"), ErrorKind::user, {"cannot have this name"});
  expect_error(write("\xff", "x"), ErrorKind::user, {"UTF-8"});
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST(Safetensors, ReadsWhatOthersWrote) {
  auto fixtures = std::filesystem::path(__FILE__).parent_path().parent_path() / "fixtures";
  if (!std::filesystem::exists(fixtures)) GTEST_SKIP() << "no fixtures";
  for (const auto& f : std::filesystem::directory_iterator(fixtures)) {
    if (f.path().extension() == ".safetensors") {
      EXPECT_FALSE(SafetensorsFile(f.path()).tensors().empty()) << f.path();
    }
  }
}

TEST(Safetensors, MissingFileIsTheUsersError) {
  TempFolder folder;
  expect_error(error_of([&] { SafetensorsFile file(folder / "none"); }), ErrorKind::user, {"none"});
}

// The numbers are those of the table of public cases: D1 to D20.
TEST(Safetensors, RefusesBadFrames) {
  expect_refused("", {"too small", "0 bytes"});                                        // D1
  expect_refused(string("<\0\0\0\0\0\0\0", 8), {"longer than the file", "60 bytes"});  // D2
  expect_refused(string("\x3c\0\0\0\0\xff\xff\xff", 8), {"too large", "100000000"});   // D3
  expect_refused(framed("\xff"), {"not UTF-8", "byte 8"});                             // D4
  expect_refused(framed("{"), {"not JSON"});                                           // D5
  expect_refused(framed(""), {"not a JSON object"});
  expect_refused(framed(" {}"), {"not a JSON object"});
  expect_refused(framed("[]"), {"not a JSON object"});
  expect_refused(framed("{} x"), {"not JSON"});
  expect_refused(framed(string("{}\0garbage", 10)), {"zero byte", "byte 10"});
  expect_refused(framed("{}{}"), {"not JSON"});
  expect_refused(framed("{\"\xc0\x80\":1}"), {"not UTF-8", "byte 10"});
}

TEST(Safetensors, RefusesRangesThatDisagree) {
  expect_refused(framed(one("I32", "[2,2]", "[0,4]"), "1234"),
                 {"disagree", "\"t\"", "16 bytes for i32[2,2]"});  // D6
  expect_refused(framed(one("I32", "[2,18446744073709551614]", "[0,16]"), string(16, 'x')),
                 {"overflows"});  // D7
  expect_refused(framed(one("I32", "[2,9223372036854775807]", "[0,16]"), string(16, 'x')),
                 {"overflows"});  // D7
  expect_refused(framed(one("U8", "[9223372036854775807,3,0]", "[0,0]")), {"overflows"});
  expect_refused(framed(one("U8", "[4]", "[0,4]"), "1234extra_bogus_data_for_polyglot_file"),
                 {"no tensor"});                                                          // D8
  expect_refused(framed(one("U8", "[4]", "[0,4]"), "123"), {"beyond the end", "[0,4]"});  // D9
  expect_refused(
      framed("{" + entry("a", "U8", "[4]", "[0,4]") + "," + entry("b", "U8", "[4]", "[0,4]") + "}", "1234"),
      {"overlap", "\"a\"", "\"b\""});  // D10, D20
  expect_refused(
      framed("{" + entry("a", "U8", "[2]", "[0,2]") + "," + entry("b", "U8", "[2]", "[1,3]") + "}", "1234"),
      {"overlap"});
  expect_refused(
      framed("{" + entry("a", "U8", "[1]", "[0,1]") + "," + entry("b", "U8", "[1]", "[2,3]") + "}", "123"),
      {"hole", "\"b\""});
  expect_refused(framed(one("U8", "[1]", "[1,2]"), "12"), {"hole"});
  expect_refused(framed("{}", "x"), {"no tensor", "1 bytes of data"});
  expect_refused(framed(one("F32", "[1000,1000]", "[0,4]"), "1234"), {"disagree", "4000000 bytes"});  // D18
  expect_refused(framed(one("U8", "[4]", "[4,0]"), "1234"), {"ends before it begins"});
  expect_refused(framed(one("U8", "[4]", "[18446744073709551612,0]"), "1234"), {"ends before it begins"});
}

TEST(Safetensors, OverlapFloodFailsFast) {  // D10: the first entry too many ends it
  string header = "{";
  for (int i = 0; i < 20'000; ++i)
    header += (i ? "," : "") + entry("t" + std::to_string(i), "U8", "[4]", "[0,4]");
  expect_refused(framed(header + "}", "1234"), {"overlap", "\"t0\"", "\"t1\""});
}

TEST(Safetensors, AcceptsScalarsEmptyTensorsAndAnyOrder) {
  TempFolder folder;
  string header = "{" + entry("late", "U8", "[2]", "[4,6]") + "," + entry("empty", "F32", "[2,0]", "[4,4]") +
                  R"(,"__metadata__":{},)" + entry("scalar", "F32", "[]", "[0,4]") + "}   ";  // D13, D15, D17
  SafetensorsFile file(folder.write("a", framed(header, "123456")));
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "scalar");
  EXPECT_EQ(file.tensors()[0].type, (Type{DType::f32, {}}));
  EXPECT_EQ(file.find("empty")->type, (Type{DType::f32, {2, 0}}));
  EXPECT_EQ(std::memcmp(file.find("late")->data, "56", 2), 0);
  EXPECT_TRUE(file.metadata().empty());
}

TEST(Safetensors, NamesDuplicates) {  // D16
  auto t = entry("t", "U8", "[1]", "[0,1]");
  expect_refused(framed("{" + t + "," + t + "}", "1"), {"duplicate", "\"t\""});
  expect_refused(framed(R"({"__metadata__":{},"__metadata__":{}})"), {"duplicate", "__metadata__"});
  expect_refused(framed(R"({"__metadata__":{"k":"a","k":"b"}})"), {"duplicate metadata", "\"k\""});
  expect_refused(framed(R"({"t":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "1"),
                 {"duplicate", "\"t\"", "dtype"});
}

TEST(Safetensors, RefusesMalformedEntries) {
  expect_refused(framed(R"({"__metadata__":{"k":1}})"), {"must be text", "\"k\""});  // D17
  expect_refused(framed(R"({"__metadata__":{"k":{}}})"), {"must be text", "\"k\""});
  expect_refused(framed(R"({"__metadata__":null})"), {"malformed"});
  expect_refused(framed(R"({"__metadata__":{"k":null}})"), {"must be text"});
  expect_refused(framed(R"({"t":[]})"), {"malformed", "\"t\""});
  expect_refused(framed(R"({"t":{"dtype":"U8","shape":[1]}})", "1"), {"missing key", "data_offsets"});
  expect_refused(framed(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}})", "1"),
                 {"unknown key", "\"x\""});
  expect_refused(framed(one("U8", "[1]", "[0]"), "1"), {"[begin, end]"});
  expect_refused(framed(one("U8", "[1]", "[0,1,1]"), "1"), {"[begin, end]"});
  expect_refused(framed(one("U8", "[-1]", "[0,1]"), "1"), {"malformed", "-1"});
  expect_refused(framed(one("U8", "[1.0]", "[0,1]"), "1"), {"malformed", "1.0"});
  expect_refused(framed(one("U8", "[[1]]", "[0,1]"), "1"), {"malformed"});
  expect_refused(framed(one("U8", "[\"1\"]", "[0,1]"), "1"), {"malformed"});
  expect_refused(framed(one("U8", "1", "[0,1]"), "1"), {"malformed"});
  expect_refused(framed(one("U8", "[18446744073709551616]", "[0,1]"), "1"), {"malformed"});
  expect_refused(framed(R"({"t":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", "1"),
                 {"malformed", "dtype"});
  expect_refused(framed(R"({"t":{"dtype":["U8"],"shape":[1],"data_offsets":[0,1]}})", "1"), {"malformed"});
  string many = "[1";
  for (int i = 0; i < 64; ++i) many += ",1";
  expect_refused(framed(one("U8", many + "]", "[0,1]"), "1"), {"too many dimensions"});
}

TEST(Safetensors, NamesUnsupportedTypes) {
  expect_refused(framed(one("F8_E4M3", "[1]", "[0,1]"), "1"),
                 {"unsupported element type F8_E4M3", "\"t\"", "BF16"});
  expect_refused(framed(one("F4", "[3]", "[0,1]"), "1"), {"unsupported element type F4"});  // D14
  expect_refused(framed(one("f32", "[1]", "[0,4]"), "1234"), {"unknown element type \"f32\""});
}

TEST(Safetensors, RefusesImpossibleTruthValues) {
  expect_refused(framed(one("BOOL", "[3]", "[0,3]"), string("\0\1\2", 3)), {"neither 0 nor 1", "\"t\""});
}

TEST(Safetensors, EveryTruncationAndManyDamagesAreRefusedCleanly) {
  TempFolder folder;
  string data(64, '\1');
  write_safetensors(folder / "a",
                    {{"w", {DType::f32, {3, 4}}, reinterpret_cast<const uint8_t*>(data.data())},
                     {"b", {DType::pred, {16}}, reinterpret_cast<const uint8_t*>(data.data())}});
  string whole = read_file(folder / "a");
  for (size_t n = 0; n < whole.size(); ++n) refusal(whole.substr(0, n));
  size_t header = whole.size() - 64;
  for (size_t i = 0; i < header; ++i) {  // whatever happens, it is an Error or a sound file
    string bad = whole;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    try {
      SafetensorsFile file(folder.write("b", bad));
      int64_t bytes = 0;
      for (const auto& t : file.tensors()) bytes += t.type.bytes();
      EXPECT_EQ(bytes, 64);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::data);
    }
  }
}

TEST(Utf8, TellsWellFormedFromOthers) {
  for (const char* good : {"", "plain", "ü", "€", "😀", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(first_bad_utf8(good), string::npos) << good;
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf5\x80\x80\x80", "\xe2\x82", "\xff", "\xc3("})
    EXPECT_EQ(first_bad_utf8(string("ab") + bad), 2u);
}

}  // namespace
}  // namespace lockstep
