// Nodes that no output and no assign needs are removed. Sources stay: a stream belongs to the program's face.
#pragma once

#include "lockstep/passes/pass.h"

namespace lockstep {

inline constexpr PassInfo remove_dead_info{"remove_dead", "remove nodes that no output and no assign needs",
                                           GraphStage::model, GraphStage::model};
Changed remove_dead(Graph& graph);

}  // namespace lockstep
