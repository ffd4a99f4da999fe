#include "lockstep/base/dtype.h"

#include <bit>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {
struct Row {
  DType dtype;
  std::string_view name;
  int64_t bytes;
  bool is_float;
};
constexpr Row rows[] = {
    {DType::f32, "f32", 4, true},   {DType::f64, "f64", 8, true},  {DType::f16, "f16", 2, true},
    {DType::bf16, "bf16", 2, true}, {DType::i32, "i32", 4, false}, {DType::i64, "i64", 8, false},
    {DType::u8, "u8", 1, false},    {DType::u64, "u64", 8, false}, {DType::pred, "pred", 1, false}};
const Row& row(DType dtype) { return rows[static_cast<size_t>(dtype)]; }
}  // namespace

int64_t bytes_of(DType dtype) { return row(dtype).bytes; }
bool is_float(DType dtype) { return row(dtype).is_float; }
std::string_view name_of(DType dtype) { return row(dtype).name; }

const std::vector<DType>& all_dtypes() {
  static const std::vector<DType> all = [] {
    std::vector<DType> v;
    for (const auto& r : rows) v.push_back(r.dtype);
    return v;
  }();
  return all;
}

DType parse_dtype(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& r : rows) {
    if (r.name == name) return r.dtype;
    names.emplace_back(r.name);
  }
  throw user_error("unknown element type '" + std::string(name) + "'" + did_you_mean(name, names))
      .but(std::string(name), join(names, ", "));
}

float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t f32_to_bf16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float f16_to_f32(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u,
           mantissa = bits & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {  // zero and subnormals: mantissa * 2^-24 is exact in f32
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | sign);
  }
  return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

uint16_t f32_to_f16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to 65536 or more
  if (magnitude < 0x38800000u) {  // subnormal result: let the f32 adder do the rounding
    float scaled = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(scaled) - 0x3f000000u));
  }
  uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

}  // namespace lockstep
