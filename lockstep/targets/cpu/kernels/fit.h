// What `fits` and `lower` of many kernels ask of their operands.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

/// Floats of streaming work that are worth a part of their own.
inline constexpr int64_t stream_grain = 8192;

/// The layout, except that blocked is called plain where the two are the same bytes (height and width 1).
Layout order_in_memory(const GroupView& g, const Operand& o);
bool is_plain(const GroupView& g, const Operand& o);

bool all_f32(const GroupView& g);    ///< every operand
bool all_plain(const GroupView& g);  ///< every operand, in memory
/// Every operand with the shape of the first output lies as it does.
bool in_one_order(const GroupView& g);

/// The two conditions that most kernels have.
Fit fits_plain_f32(const GroupView& g);
Fit fits_elementwise_f32(const GroupView& g);

}  // namespace lockstep::cpu
