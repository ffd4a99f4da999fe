// How a value lies in memory on the CPU target.
#pragma once

#include <string_view>
#include <vector>

#include "lockstep/program/bundle.h"

namespace lockstep::cpu {

/// plain: row-major of the logical shape. blocked: (N, C, H, W) as (N, C/8, H, W, 8): eight channels side by
/// side, the form in which vector units of 8 floats convolve best (oneDNN's nChw8c).
enum class Layout { plain, blocked };
inline std::string_view name_of(Layout l) { return l == Layout::plain ? "plain" : "nChw8c"; }
inline constexpr int64_t block = 8;

bool can_block(const Type& type);

/// One layout per value of the program: convolutions ask for blocked data operands, and what reads or writes
/// those element by element or channel by channel follows, through the whole program.
std::vector<Layout> choose_layouts(const Bundle& bundle, const Program& program);

/// Elements of a plain array to and from blocked order; shapes (N, C, H, W).
void to_blocked(const float* plain, float* blocked, const Shape& shape);
void to_plain(const float* blocked, float* plain, const Shape& shape);

}  // namespace lockstep::cpu
