// The reference target: interprets a bundle step by step with each op's `eval`. Slow, obvious, the truth.
#pragma once

#include "lockstep/targets/target.h"

namespace lockstep::ref {

/// With options.in_double floats keep double precision whatever their type says, variables included.
std::unique_ptr<Executable> lower(Bundle bundle, const TargetOptions& options);

}  // namespace lockstep::ref
