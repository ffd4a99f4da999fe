// Applies the rewrite table until nothing matches.
#pragma once

#include "lockstep/passes/pass.h"

namespace lockstep {

inline constexpr PassInfo simplify_info{"simplify", "apply the rewrite table of rules/ until nothing matches",
                                        GraphStage::model, GraphStage::model};
Changed simplify(Graph& graph);

}  // namespace lockstep
