// Checks that `infer` functions share. Messages name the input, what came and what was wanted.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "lockstep/ir/op.h"

namespace lockstep {

inline void require_float(const OpInfo& info, const Types& in, size_t i) {
  if (!is_float(in[i].dtype))
    refuse(info.name, fmt::format("{} must be floating point", info.inputs[i]), type_text(in[i]),
           "f32, f64, f16 or bf16");
}

inline void require_rank(const OpInfo& info, const Types& in, size_t i, size_t rank, std::string_view axes) {
  if (in[i].shape.size() != rank)
    refuse(info.name, fmt::format("{} has {} axes", info.inputs[i], in[i].shape.size()), type_text(in[i]),
           std::string(axes));
}

/// `why` says where the wanted type comes from: "the channels of x".
inline void require_type(const OpInfo& info, const Types& in, size_t i, const Type& want,
                         std::string_view why) {
  if (in[i] != want)
    refuse(info.name, fmt::format("{} does not fit {}", info.inputs[i], why), type_text(in[i]),
           type_text(want));
}

inline void require_dtype(const OpInfo& info, const Types& in, size_t i, DType want, std::string_view why) {
  if (in[i].dtype != want)
    refuse(info.name, fmt::format("{} does not have the element type of {}", info.inputs[i], why),
           type_text(in[i]), std::string(name_of(want)));
}

}  // namespace lockstep
