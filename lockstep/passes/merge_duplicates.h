// Equal nodes with equal inputs become one.
#pragma once

#include "lockstep/passes/pass.h"

namespace lockstep {

inline constexpr PassInfo merge_duplicates_info{
    "merge_duplicates", "equal nodes with equal inputs become one", GraphStage::model, GraphStage::model};
Changed merge_duplicates(Graph& graph);

}  // namespace lockstep
