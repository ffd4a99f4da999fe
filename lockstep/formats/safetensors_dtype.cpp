#include <algorithm>
#include <array>
#include <utility>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"
#include "lockstep/formats/safetensors_header.h"

namespace lockstep {
namespace {

constexpr std::array<std::pair<std::string_view, DType>, 9> kNames{{{"F32", DType::f32},
                                                                    {"F64", DType::f64},
                                                                    {"F16", DType::f16},
                                                                    {"BF16", DType::bf16},
                                                                    {"I32", DType::i32},
                                                                    {"I64", DType::i64},
                                                                    {"U8", DType::u8},
                                                                    {"U64", DType::u64},
                                                                    {"BOOL", DType::pred}}};
/// In the format, not in Lockstep.
constexpr std::array<std::string_view, 13> kUnsupported{
    "I8",      "I16",     "U16",         "U32",         "F4",      "F6_E2M3", "F6_E3M2",
    "F8_E5M2", "F8_E4M3", "F8_E5M2FNUZ", "F8_E4M3FNUZ", "F8_E8M0", "C64"};

}  // namespace

std::string_view safetensors_name(DType dtype) {
  for (const auto& [name, type] : kNames)
    if (type == dtype) return name;
  throw bug("element type without a safetensors name");
}

DType parse_safetensors_dtype(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [text, type] : kNames) {
    if (text == name) return type;
    known.emplace_back(text);
  }
  bool in_format = std::find(kUnsupported.begin(), kUnsupported.end(), name) != kUnsupported.end();
  throw data_error(in_format ? "unsupported element type " + std::string(name)
                             : "unknown element type " + quoted(name.substr(0, 64)))
      .but(std::string(name.substr(0, 64)), join(known, " | "));
}

}  // namespace lockstep
