// Reads the text form of a graph. Hostile text gives an error with line and column, never a bad graph.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lockstep/ir/graph.h"
#include "lockstep/ir/reader.h"

namespace lockstep {

/// How the parser finds ops: `op_named` of ops/all.h, passed in because ir does not see ops.
using OpLookup = std::function<const OpRow&(std::string_view name)>;

Graph parse_graph(std::string_view text, const OpLookup& lookup, std::string origin = "text");

/// "op{attrs}" and the marks behind a node: shared with the bundle's reader.
struct OpText {
  const OpRow* op = nullptr;
  std::shared_ptr<const void> attrs;
};
OpText read_op(Reader& reader, const OpLookup& lookup);
void read_marks(Reader& reader, std::string* name, Phase* phase, int* group, int* stage, bool* recompute);
VariableInfo read_variable_info(Reader& reader);
std::vector<float> read_entries(Reader& reader);
Type read_type(Reader& reader);

}  // namespace lockstep
