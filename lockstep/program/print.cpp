// The text form of a bundle.
#include "lockstep/ir/print.h"

#include <fmt/format.h>

#include "lockstep/program/bundle.h"

namespace lockstep {
namespace {

constexpr std::string_view loop_names = "ijklmn";

std::string operand_text(const Operand& o) {
  constexpr char sigils[] = {'%', '$', '&', '!', '^'};
  std::string text = fmt::format("{}{}", sigils[static_cast<int>(o.kind)], o.id);
  if (o.index.loop < 0) return text;
  text += fmt::format("[{}", loop_names.at(o.index.loop));
  if (o.index.offset != 0) text += fmt::format("{:+}", o.index.offset);
  return text + fmt::format(" mod {}]", o.index.modulo);
}

class BundlePrinter {
 public:
  explicit BundlePrinter(const Program& program) : program_(program), seen_(program.values.size(), false) {}

  std::string text() {
    out_ = fmt::format("  program {} {{\n", quoted(program_.name));
    ports("stream !", program_.streams);
    ports("output ^", program_.outputs);
    for (const auto& s : program_.steps) step(s, 4, 0);
    return out_ + "  }\n";
  }

 private:
  void ports(std::string_view head, const std::vector<PortDecl>& list) {
    for (size_t i = 0; i < list.size(); ++i)
      out_ += fmt::format("    {}{} {} : {} x{}\n", head, i, quoted(list[i].name), type_text(list[i].type),
                          list[i].slots);
  }

  std::string list(const Operands& operands) {
    std::string text;
    for (const auto& o : operands) text += (text.empty() ? "" : ", ") + operand_text(o);
    return text;
  }

  /// A value states its type where it is first written.
  std::string written(const Operands& operands) {
    std::string text;
    for (const auto& o : operands) {
      text += (text.empty() ? "" : ", ") + operand_text(o);
      if (o.kind != OperandKind::value || seen_[o.id]) continue;
      seen_[o.id] = true;
      const auto& decl = program_.values[o.id];
      text += " : " + type_text(decl.type);
      if (decl.slots != 1) text += fmt::format(" x{}", decl.slots);
    }
    return text;
  }

  std::string simple(const Step& s) {
    switch (s.kind) {
      case StepKind::run: {
        auto reads = list(s.reads);
        return fmt::format("{} = {}({})", written(s.writes), op_text(*s.op, s.attrs.get()), reads);
      }
      case StepKind::copy:
      case StepKind::fetch:
      case StepKind::collective: {
        auto reads = list(s.reads);
        auto head =
            s.kind == StepKind::collective ? "collective" + record_text(s.exchange) : field_text(s.kind);
        return fmt::format("{} {} = {}", head, written(s.writes), reads);
      }
      case StepKind::send:
        return fmt::format("send{} {}", record_text(s.exchange), list(s.reads));
      case StepKind::recv:
        return fmt::format("recv{} {}", record_text(s.exchange), written(s.writes));
      case StepKind::feed:
        return fmt::format("feed {}", list(s.reads));
      case StepKind::wait:
        return fmt::format("wait {}", s.handle);
      case StepKind::start:
      case StepKind::repeat:
        break;
    }
    return {};
  }

  void step(const Step& s, int indent, int depth) {
    out_ += std::string(indent, ' ');
    if (s.kind == StepKind::repeat) {
      out_ += fmt::format("repeat {} <= {} {{\n", loop_names.at(depth), s.limit);
      for (const auto& b : s.body) step(b, indent + 2, depth + 1);
      out_ += std::string(indent, ' ') + "}\n";
      return;
    }
    if (s.kind == StepKind::start)
      out_ += fmt::format("start {} {}", s.handle, simple(s.body.at(0)));
    else
      out_ += simple(s);
    out_ += marks_text(s.name, s.phase, s.group, s.stage, s.recompute) + "\n";
  }

  const Program& program_;
  std::vector<bool> seen_;
  std::string out_;
};

}  // namespace

std::string print(const Bundle& bundle) {
  std::string out = fmt::format("bundle {} format={} {{\n", quoted(bundle.name), bundle_format);
  for (size_t i = 0; i < bundle.variables.size(); ++i) {
    const auto& v = bundle.variables[i];
    out +=
        fmt::format("  variable ${} {} : {} {}\n", i, quoted(v.name), type_text(v.type), record_text(v.info));
  }
  for (size_t i = 0; i < bundle.tables.size(); ++i)
    out += fmt::format("  table &{} {} = {}\n", i, quoted(bundle.tables[i].name),
                       entries_text(bundle.tables[i].entries));
  for (const auto& p : bundle.programs) out += BundlePrinter(p).text();
  return out + "}\n";
}

}  // namespace lockstep
