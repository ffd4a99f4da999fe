#include "lockstep/program/bundle.h"

#include <fmt/format.h>

#include "lockstep/base/hash.h"

namespace lockstep {
namespace {
template <class List>
int find_named(const List& list, std::string_view name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return -1;
}
}  // namespace

int Program::find_stream(std::string_view port) const { return find_named(streams, port); }
int Program::find_output(std::string_view port) const { return find_named(outputs, port); }
int Bundle::find_variable(std::string_view variable) const { return find_named(variables, variable); }
int Bundle::find_program(std::string_view program) const { return find_named(programs, program); }

const Program& Bundle::program(std::string_view wanted) const {
  int at = find_program(wanted);
  if (at >= 0) return programs[at];
  std::vector<std::string> names;
  for (const auto& p : programs) names.push_back(p.name);
  throw user_error(
      fmt::format("bundle '{}' has no program '{}'{}", name, wanted, did_you_mean(wanted, names)))
      .but(std::string(wanted), join(names, ", "));
}

Type Bundle::type_of(const Program& program, const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::value:
      return program.values.at(operand.id).type;
    case OperandKind::variable:
      return variables.at(operand.id).type;
    case OperandKind::stream:
      return program.streams.at(operand.id).type;
    case OperandKind::output:
      return program.outputs.at(operand.id).type;
    case OperandKind::table:
      break;
  }
  return tables.at(operand.id).type();
}

std::string hash_of(const Bundle& bundle) { return sha256(print(bundle)); }

}  // namespace lockstep
