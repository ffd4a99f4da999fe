#include "lockstep/passes/rules/rule.h"

#include <fmt/format.h>

#include "lockstep/ir/reader.h"
#include "lockstep/ops/all.h"

namespace lockstep {
namespace {

Pattern read_pattern(Reader& reader) {
  Pattern p;
  auto word = reader.word("an op or a variable");
  auto attributes = reader.bracketed('{', '}');
  if (attributes.empty() && !reader.next_is("(")) {
    p.variable = word;
    return p;
  }
  p.op = &op_named(word);
  p.attributes = std::string(attributes);
  if (!reader.accept("(")) return p;
  if (reader.accept(")")) return p;
  do p.inputs.push_back(read_pattern(reader));
  while (reader.accept(","));
  reader.expect(")");
  return p;
}

/// The attributes named in the pattern, set on the node's own, change nothing.
bool attributes_agree(const Pattern& p, const Node& node) {
  if (p.attributes.empty()) return true;
  auto text = node.op->print(node.attrs.get());
  auto inside = std::string_view(text).substr(1, text.size() - 2);
  for (auto wanted : split_items(std::string_view(p.attributes).substr(1, p.attributes.size() - 2))) {
    bool found = false;
    for (auto item : split_items(inside)) found = found || item == wanted;
    if (!found) return false;
  }
  return true;
}

bool match_value(const Pattern& p, const Graph& graph, int value, Match* m);

bool match_node(const Pattern& p, const Graph& graph, const Node& node, Match* m) {
  if (node.op != p.op || node.in.size() != p.inputs.size() || !attributes_agree(p, node)) return false;
  for (size_t i = 0; i < p.inputs.size(); ++i)
    if (!match_value(p.inputs[i], graph, node.in[i], m)) return false;
  return true;
}

bool match_value(const Pattern& p, const Graph& graph, int value, Match* m) {
  if (p.op == nullptr) {
    auto [it, fresh] = m->values.emplace(p.variable, value);
    return fresh || it->second == value;
  }
  int producer = graph.producer(value);
  if (producer < 0) return false;
  const auto& node = graph.nodes()[producer];
  return node.out.size() == 1 && match_node(p, graph, node, m);
}

Value build(const Pattern& p, const Node& root, Graph& out, const std::map<std::string, Value>& values) {
  if (p.op == nullptr) return values.at(p.variable);
  Values inputs;
  for (const auto& i : p.inputs) inputs.push_back(build(i, root, out, values));
  auto attrs = p.attributes == "{...}" ? root.attrs : p.op->parse(p.attributes);
  return emit_row(out, *p.op, attrs, inputs, root.site)[0];
}

}  // namespace

Pattern parse_pattern(std::string_view text) {
  try {
    Reader reader(text, "rule");
    auto p = read_pattern(reader);
    if (!reader.at_end()) reader.fail("text behind the pattern");
    return p;
  } catch (const Error& e) {
    throw bug(fmt::format("malformed pattern '{}': {}", text, e.problem));
  }
}

const std::vector<CompiledRule>& compiled_rules() {
  static const std::vector<CompiledRule> list = [] {
    std::vector<CompiledRule> all;
    for (const auto& r : algebra_rules()) all.push_back({&r, parse_pattern(r.left), parse_pattern(r.right)});
    return all;
  }();
  return list;
}

bool matches(const CompiledRule& rule, const Graph& graph, const Node& node, Match* match) {
  *match = {&graph, &node, {}};
  if (node.out.size() != 1 || !match_node(rule.left, graph, node, match)) return false;
  return rule.rule->guard == nullptr || rule.rule->guard(*match);
}

Value build_right(const CompiledRule& rule, const Node& root, Graph& out,
                  const std::map<std::string, Value>& values) {
  return build(rule.right, root, out, values);
}

}  // namespace lockstep
