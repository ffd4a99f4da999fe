// Handles into a graph.
#pragma once

#include <vector>

#include "lockstep/base/shape.h"

namespace lockstep {

class Graph;

/// A value of a graph; cheap to copy; valid as long as its graph stands still in memory.
struct Value {
  Graph* graph = nullptr;
  int id = -1;
  explicit operator bool() const { return graph != nullptr; }
  bool operator==(const Value&) const = default;
  const Type& type() const;
  const Shape& shape() const { return type().shape; }
};
using Values = std::vector<Value>;

/// What `grad` sees of the node it differentiates.
struct NodeView {
  Graph* graph = nullptr;
  int node = -1;
  Value in(int i) const;
  Value out(int i) const;
};

/// The line of the model that called a builder. Builders take it as a last, defaulted argument.
struct Site {
  const char* file = "";
  unsigned line = 0;
  // The builtins are what std::source_location is made of; Clang 14 lacks the latter with libstdc++ 12.
  Site(const char* f = __builtin_FILE(), unsigned l = __builtin_LINE())  // NOLINT: implicit by design
      : file(f), line(l) {}
};

}  // namespace lockstep
