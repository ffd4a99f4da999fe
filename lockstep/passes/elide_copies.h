// `copy $v = %x` at the end of an iteration goes when the step that makes %x can write $v itself.
#pragma once

#include "lockstep/program/bundle.h"

namespace lockstep {

/// Safe when nobody reads $v behind the making step, that step does not read $v, or does so elementwise, and
/// %x is spoken of nowhere else.
bool elide_copies(Bundle& bundle);

}  // namespace lockstep
