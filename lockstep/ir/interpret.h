// Evaluates a graph by calling each op's `eval`: slow, obvious, the meaning of everything.
#pragma once

#include <map>
#include <string>

#include "lockstep/ir/graph.h"

namespace lockstep {

struct InterpretOptions {
  /// Floats keep double precision whatever their type says; otherwise every result is rounded to its type.
  bool in_double = false;
};

/// Evaluates one op; `inputs` in order.
Tensors evaluate(const OpRow& op, const void* attrs, const std::vector<const Tensor*>& inputs,
                 const InterpretOptions& options = {});

struct Interpreted {
  std::vector<Tensor> values;              ///< by value id
  std::map<std::string, Tensor> outputs;   ///< by output name
  std::map<std::string, Tensor> assigned;  ///< new values of the assigned variables, by name
};
/// `sources` gives a tensor for each variable and stream by name; tables bring their own. Errors name the
/// missing source, or the node and layer whose op failed.
Interpreted interpret(const Graph& graph, const std::map<std::string, Tensor>& sources,
                      const InterpretOptions& options = {});

}  // namespace lockstep
