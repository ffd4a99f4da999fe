// The verifiers that run after each pass: one per stage, each including the ones before it.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// Throws a bug error naming the node when the graph breaks a rule of its stage:
/// model: nodes read earlier values only, types are what the ops infer, sources and outputs are named once;
/// trained: there is an assign for the step counter and every trainable variable, none of a stream or table;
/// grouped: group marks stand on more than one node; placed: stages >= 0; ordered: nodes of a group are
/// neighbours.
void verify(const Graph& graph);

}  // namespace lockstep
