// Graph -> program: one step list, safe before it is quick (passes/elide_copies removes what safety did not
// need).
#include <fmt/format.h>

#include <iterator>
#include <set>

#include "lockstep/program/bundle.h"

namespace lockstep {
namespace {

class ProgramBuilder {
 public:
  ProgramBuilder(Bundle& bundle, const Graph& graph, const BuildOptions& options)
      : bundle_(bundle), graph_(graph), options_(options) {}

  Program build(const std::string& name) {
    program_.name = name;
    Step repeat;
    repeat.kind = StepKind::repeat;
    repeat.limit = options_.steps_per_call;
    operands_.resize(graph_.value_count());
    for (const auto& s : graph_.sources()) source(s, repeat.body);
    for (const auto& n : graph_.nodes()) repeat.body.push_back(run(n));
    for (const auto& o : graph_.outputs()) fetch(o, repeat.body);
    assigns(repeat.body);
    program_.steps.push_back(std::move(repeat));
    return std::move(program_);
  }

 private:
  void source(const Source& s, std::vector<Step>& body) {
    auto& operand = operands_[s.value];
    if (s.kind == SourceKind::variable) {
      operand = {OperandKind::variable, shared_variable(s), {}};
    } else if (s.kind == SourceKind::table) {
      operand = {OperandKind::table, shared_table(s), {}};
    } else {
      operand = {OperandKind::stream, static_cast<int>(program_.streams.size()), {0, 0, options_.ring_slots}};
      program_.streams.push_back({s.name, graph_.type(s.value), options_.ring_slots});
      Step feed;
      feed.kind = StepKind::feed;
      feed.reads = {operand};
      body.push_back(std::move(feed));
    }
  }

  int shared_variable(const Source& s) {
    int at = bundle_.find_variable(s.name);
    if (at < 0) {
      bundle_.variables.push_back({s.name, graph_.type(s.value), s.variable});
      return static_cast<int>(bundle_.variables.size()) - 1;
    }
    if (bundle_.variables[at].type != graph_.type(s.value))
      throw user_error("two programs give one variable different types")
          .at(s.name)
          .but(type_text(graph_.type(s.value)), type_text(bundle_.variables[at].type));
    return at;
  }

  int shared_table(const Source& s) {
    for (size_t i = 0; i < bundle_.tables.size(); ++i) {
      if (bundle_.tables[i].name != s.name) continue;
      if (bundle_.tables[i].entries != s.entries)
        throw user_error("two programs give one table different entries").at(s.name);
      return static_cast<int>(i);
    }
    bundle_.tables.push_back({s.name, s.entries});
    return static_cast<int>(bundle_.tables.size()) - 1;
  }

  Step run(const Node& n) {
    Step step;
    step.op = n.op;
    step.attrs = n.attrs;
    step.name = n.name;
    step.phase = n.phase;
    step.group = n.group;
    step.stage = n.stage;
    step.recompute = n.recompute;
    for (int v : n.in) step.reads.push_back(operands_[v]);
    for (int v : n.out) {
      operands_[v] = {OperandKind::value, static_cast<int>(program_.values.size()), {}};
      program_.values.push_back({graph_.type(v), 1});
      step.writes.push_back(operands_[v]);
    }
    return step;
  }

  static Step transfer(StepKind kind, Operand from, Operand to) {
    Step step;
    step.kind = kind;
    step.phase = Phase::update;
    step.reads = {from};
    step.writes = {to};
    return step;
  }

  /// All assigns take effect at once: a variable that is read by a later copy than the one that overwrites it
  /// is kept aside first.
  void assigns(std::vector<Step>& body) {
    std::set<int> overwritten;
    std::vector<Step> copies;
    for (const auto& a : graph_.assigns()) {
      auto from = operands_[a.value];
      if (overwritten.contains(a.value)) {
        from = {OperandKind::value, static_cast<int>(program_.values.size()), {}};
        program_.values.push_back({graph_.type(a.value), 1});
        body.push_back(transfer(StepKind::copy, operands_[a.value], from));
      }
      copies.push_back(transfer(StepKind::copy, from, operands_[a.variable]));
      overwritten.insert(a.variable);
    }
    std::move(copies.begin(), copies.end(), std::back_inserter(body));
  }

  void fetch(const Graph::Output& o, std::vector<Step>& body) {
    Operand slot{
        OperandKind::output, static_cast<int>(program_.outputs.size()), {0, 0, options_.steps_per_call}};
    program_.outputs.push_back({o.name, graph_.type(o.value), options_.steps_per_call});
    body.push_back(transfer(StepKind::fetch, operands_[o.value], slot));
  }

  Bundle& bundle_;
  const Graph& graph_;
  const BuildOptions& options_;
  Program program_;
  Operands operands_;
};

}  // namespace

void add_program(Bundle& bundle, const Graph& graph, const std::string& program_name,
                 const BuildOptions& options) {
  if (bundle.find_program(program_name) >= 0)
    throw user_error(fmt::format("two programs are named '{}'", program_name));
  if (options.steps_per_call < 1 || options.ring_slots < 1)
    throw user_error("steps per call and ring slots must be at least 1");
  bundle.programs.push_back(ProgramBuilder(bundle, graph, options).build(program_name));
}

}  // namespace lockstep
