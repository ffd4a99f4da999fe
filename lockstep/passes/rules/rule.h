// Rewrites as rows: (name, left, right, guard). Left and right are expressions over ops:
//
//   add(x, constant{value=0})  ->  x            attributes named on the left must have that value
//   reshape(reshape(x))        ->  reshape{...}(x)   {...}: the attributes of the left's outermost op
//
// A plain word is a variable and matches any value; the same word twice must be the same value.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/ir/graph.h"

namespace lockstep {

struct Pattern {
  std::string variable;       ///< set for a variable
  const OpRow* op = nullptr;  ///< set for an op
  std::string attributes;     ///< "" or "{value=0}"; "{...}" on the right
  std::vector<Pattern> inputs;
};
/// Throws a bug error on a malformed text: rows are ours.
Pattern parse_pattern(std::string_view text);

/// What the variables of a left side matched.
struct Match {
  const Graph* graph = nullptr;
  const Node* root = nullptr;
  std::map<std::string, int> values;
  const Type& type(const std::string& variable) const { return graph->type(values.at(variable)); }
  const Type& result() const { return graph->type(root->out[0]); }
};

struct Rule {
  std::string_view name, left, right;
  bool (*guard)(const Match&);  ///< null: always
};

/// The table.
const std::vector<Rule>& algebra_rules();

/// A rule with its expressions read.
struct CompiledRule {
  const Rule* rule;
  Pattern left, right;
};
const std::vector<CompiledRule>& compiled_rules();

/// True when `node` is matched by the rule and its guard agrees.
bool matches(const CompiledRule& rule, const Graph& graph, const Node& node, Match* match);
/// Builds the right side in `out`; `values` gives the new value of each variable.
Value build_right(const CompiledRule& rule, const Node& root, Graph& out,
                  const std::map<std::string, Value>& values);

}  // namespace lockstep
