// Moves a value, changing layout where the two sides differ.
#pragma once

#include "lockstep/targets/cpu/kernel.h"

namespace lockstep::cpu {

/// Emits the calls for `to = from`; types are equal, layouts need not be.
void lower_copy(const GroupView& view, const Operand& from, const Operand& to, CallSink& sink);

}  // namespace lockstep::cpu
