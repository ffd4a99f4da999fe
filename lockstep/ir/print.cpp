#include "lockstep/ir/print.h"

#include <fmt/format.h>

#include "lockstep/base/hash.h"

namespace lockstep {

std::string op_text(const OpRow& op, const void* attrs) {
  return std::string(op.info.name) + op.print(attrs);
}

std::string marks_text(const std::string& name, Phase phase, int group, int stage, bool recompute) {
  std::string out;
  if (!name.empty()) out += " @" + quoted(name);
  out += " #" + field_text(phase);
  if (group >= 0) out += fmt::format(" #group={}", group);
  if (stage != 0) out += fmt::format(" #stage={}", stage);
  if (recompute) out += " #recompute";
  return out;
}

std::string entries_text(const std::vector<float>& entries) { return field_text(entries); }

std::string print(const Graph& graph) {
  std::vector<int> number(graph.value_count(), -1);
  int next = 0;
  auto list = [&](const std::vector<int>& values) {
    std::string text;
    for (int v : values) text += fmt::format("{}%{}", text.empty() ? "" : ", ", number[v]);
    return text;
  };
  std::string out = fmt::format("graph {} stage={} {{\n", quoted(graph.name()), field_text(graph.stage));
  for (const auto& s : graph.sources()) {
    number[s.value] = next++;
    out += fmt::format("  {} %{} {}", field_text(s.kind), number[s.value], quoted(s.name));
    if (s.kind == SourceKind::table)
      out += " = " + entries_text(s.entries);
    else
      out += " : " + type_text(graph.type(s.value));
    if (s.kind == SourceKind::variable) out += " " + record_text(s.variable);
    out += "\n";
  }
  for (const auto& n : graph.nodes()) {
    for (int v : n.out) number[v] = next++;
    std::string types;
    for (int v : n.out) types += (types.empty() ? "" : ", ") + type_text(graph.type(v));
    out += fmt::format("  {} = {}({}) : {}{}\n", list(n.out), op_text(*n.op, n.attrs.get()), list(n.in),
                       types, marks_text(n.name, n.phase, n.group, n.stage, n.recompute));
  }
  for (const auto& a : graph.assigns())
    out += fmt::format("  assign %{} = %{}\n", number[a.variable], number[a.value]);
  for (const auto& o : graph.outputs())
    out += fmt::format("  output {} = %{}\n", quoted(o.name), number[o.value]);
  return out + "}\n";
}

std::string hash_of(const Graph& graph) { return sha256(print(graph)); }

}  // namespace lockstep
