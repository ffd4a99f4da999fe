// The header of a safetensors file: a JSON object of names, types and ranges. Untrusted input.
// Source: github.com/huggingface/safetensors, README "Format" and the tests of src/tensor.rs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/shape.h"

namespace lockstep {

inline constexpr uint64_t kLargestSafetensorsHeader = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  Type type;
  uint64_t begin = 0, end = 0;  ///< bytes from the start of the data part
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> tensors;  ///< by offset; together they tile the data part exactly
  std::map<std::string, std::string> metadata;
};

/// Parses and checks the header of `json`, which stands in front of `data_bytes` bytes of data. Refuses,
/// naming the tensor or the byte: text that is not UTF-8 or not JSON, duplicate or missing or unknown keys,
/// metadata that is not text, sizes that overflow, ranges that disagree with type and shape, overlap, leave
/// holes or do not end with the file. Memory is bounded by a small multiple of the header. Throws data errors
/// at `path`.
SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::filesystem::path& path);

/// "F32" for f32 and so on; the inverse throws a data error that tells unsupported from unknown names.
std::string_view safetensors_name(DType dtype);
DType parse_safetensors_dtype(std::string_view name);

}  // namespace lockstep
