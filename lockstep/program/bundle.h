// A bundle: variables and the programs over them; target-neutral, readable, hashable. What trains is what is
// simulated: every target lowers this and prints its hash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/ir/parse.h"
#include "lockstep/program/step.h"

namespace lockstep {

struct VariableDecl {
  std::string name;
  Type type;
  VariableInfo info;
};

struct TableDecl {
  std::string name;
  std::vector<float> entries;
  Type type() const { return {DType::f32, {static_cast<int64_t>(entries.size())}}; }
};

/// A stream the host fills, or an output the host reads: `slots` copies of `type`.
struct PortDecl {
  std::string name;
  Type type;
  int64_t slots = 1;
};

/// A value of a program; more than one slot for stashes that live over several iterations.
struct ValueDecl {
  Type type;
  int64_t slots = 1;
};

struct Program {
  std::string name;
  std::vector<PortDecl> streams, outputs;
  std::vector<ValueDecl> values;
  std::vector<Step> steps;

  int find_stream(std::string_view port) const;  ///< -1 when there is none
  int find_output(std::string_view port) const;
};

struct Bundle {
  std::string name;
  std::vector<VariableDecl> variables;
  std::vector<TableDecl> tables;
  std::vector<Program> programs;

  int find_variable(std::string_view variable) const;  ///< -1 when there is none
  int find_program(std::string_view program) const;
  const Program& program(std::string_view name) const;  ///< throws a user error
  Type type_of(const Program& program, const Operand& operand) const;
};

struct BuildOptions {
  int64_t steps_per_call = 1;  ///< most iterations of one call
  int64_t ring_slots = 4;      ///< batches the host may be ahead
};

/// Appends the program of an ordered graph to the bundle: feeds, runs in order, fetches, and behind them all
/// one copy per assign (safe whatever reads the variable). Variables and tables are shared by name; types
/// must agree.
void add_program(Bundle& bundle, const Graph& graph, const std::string& program_name,
                 const BuildOptions& options);

inline constexpr int bundle_format = 1;
std::string print(const Bundle& bundle);
/// Reads a bundle's text and verifies it whole: hostile text gives an error, never a bad bundle.
Bundle parse_bundle(std::string_view text, const OpLookup& lookup, std::string origin = "text");
std::string hash_of(const Bundle& bundle);

/// Calls visit(step, depth) for each step in order, bodies included; depth counts the enclosing repeats.
template <class Steps, class Visit>
void for_each_step(Steps& steps, Visit visit, int depth = 0) {
  for (auto& step : steps) {
    visit(step, depth);
    for_each_step(step.body, visit, depth + (step.kind == StepKind::repeat ? 1 : 0));
  }
}

}  // namespace lockstep
