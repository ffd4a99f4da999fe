// Element types of tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// `pred` is a truth value in one byte, 0 or 1.
enum class DType : uint8_t { f32, f64, f16, bf16, i32, i64, u8, u64, pred };

int64_t bytes_of(DType dtype);
bool is_float(DType dtype);
std::string_view name_of(DType dtype);
/// Throws a user error naming the nearest type.
DType parse_dtype(std::string_view name);
const std::vector<DType>& all_dtypes();

float f16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);  ///< round to nearest even; overflow becomes infinity
float bf16_to_f32(uint16_t bits);
uint16_t f32_to_bf16(float value);  ///< round to nearest even; NaN stays NaN

}  // namespace lockstep
