// Gives every node its pipeline stage. Without pipeline stages in the configuration all of them are stage 0.
#pragma once

#include "lockstep/passes/pass.h"

namespace lockstep {

inline constexpr PassInfo place_stages_info{"place_stages", "give every node its pipeline stage",
                                            GraphStage::grouped, GraphStage::placed};
Changed place_stages(Graph& graph);

}  // namespace lockstep
