// The text form of a graph; parse.h reads it back to the same hash.
#pragma once

#include <string>

#include "lockstep/ir/graph.h"

namespace lockstep {

/// Values are numbered anew, in order of appearance, so that equal graphs have equal texts.
std::string print(const Graph& graph);
/// SHA-256 of the text.
std::string hash_of(const Graph& graph);

/// "op{attrs}" and " @\"layer\" #backward #group=2": shared with the bundle's text.
std::string op_text(const OpRow& op, const void* attrs);
std::string marks_text(const std::string& name, Phase phase, int group, int stage, bool recompute);
/// "[0.1,0.2]".
std::string entries_text(const std::vector<float>& entries);

}  // namespace lockstep
