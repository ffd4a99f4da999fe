// Marks chains of nodes that a target may run as one loop over memory. What becomes of a group is decided in
// lowering, by what kernels fit; a group that no kernel takes runs node by node.
#pragma once

#include "lockstep/passes/pass.h"

namespace lockstep {

inline constexpr PassInfo mark_groups_info{"mark_groups", "mark chains that a target may run as one loop",
                                           GraphStage::trained, GraphStage::grouped};
Changed mark_groups(Graph& graph);

/// The chains looked for, longest first: each op reads the first output of the one before it.
const std::vector<std::vector<std::string_view>>& group_chains();

}  // namespace lockstep
