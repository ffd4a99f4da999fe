// Makes the nodes of a group neighbours, at the place of its last node, and keeps the order otherwise.
#pragma once

#include "lockstep/passes/pass.h"

namespace lockstep {

inline constexpr PassInfo order_nodes_info{"order_nodes", "make the nodes of a group neighbours",
                                           GraphStage::placed, GraphStage::ordered};
Changed order_nodes(Graph& graph);

}  // namespace lockstep
