// First values of variables.
#pragma once

#include <cstdint>

#include "lockstep/program/bundle.h"
#include "lockstep/targets/target.h"

namespace lockstep {

/// Writes the variable's first value, row-major in its type: a function of (seed, name, logical index) and
/// nothing else, so neither other variables nor their order change it. Element i is drawn by Philox at
/// counter i under the key philox_fold(seed, first 8 bytes of SHA-256 of the name). A truncated normal takes
/// the first of its draws that lies within two deviations. A variable of role `seed` is the seed itself.
void initial_value(const VariableDecl& variable, uint64_t seed, void* bytes);

/// Gives all variables of an executable their first values.
void initialise(Executable& executable, uint64_t seed);

}  // namespace lockstep
