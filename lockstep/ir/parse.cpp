#include "lockstep/ir/parse.h"

#include <fmt/format.h>

#include <unordered_map>

namespace lockstep {
namespace {
/// Runs `read`, giving its user errors the reader's place.
template <class F>
auto placed(Reader& reader, F read) {
  auto place = reader.place();
  try {
    return read();
  } catch (Error& e) {
    throw e.at(place);
  }
}

class GraphReader {
 public:
  GraphReader(Reader& reader, const OpLookup& lookup) : reader_(reader), lookup_(lookup) {}

  Graph read() {
    reader_.expect("graph");
    Graph graph(reader_.quoted_text("the graph's name"));
    reader_.expect("stage=");
    auto stage = reader_.word("a stage");
    placed(reader_, [&] { field_parse(stage, graph.stage); });
    reader_.expect("{");
    while (!reader_.accept("}")) placed(reader_, [&] { line(graph); });
    if (!reader_.at_end()) reader_.fail("text behind the end of the graph");
    return graph;
  }

 private:
  void line(Graph& graph) {
    if (reader_.next_is("%")) return node(graph);
    if (reader_.accept("variable")) {
      int id = new_id();
      auto name = reader_.quoted_text("the variable's name");
      reader_.expect(":");
      auto type = read_type(reader_);
      bind(id, graph.variable(name, type, read_variable_info(reader_)));
    } else if (reader_.accept("stream")) {
      int id = new_id();
      auto name = reader_.quoted_text("the stream's name");
      reader_.expect(":");
      bind(id, graph.stream(name, read_type(reader_)));
    } else if (reader_.accept("table")) {
      int id = new_id();
      auto name = reader_.quoted_text("the table's name");
      reader_.expect("=");
      bind(id, graph.table(name, read_entries(reader_)));
    } else if (reader_.accept("assign")) {
      auto variable = old_value(graph);
      reader_.expect("=");
      graph.assign(variable, old_value(graph));
    } else if (reader_.accept("output")) {
      auto name = reader_.quoted_text("the output's name");
      reader_.expect("=");
      graph.output(name, old_value(graph));
    } else {
      reader_.fail("expected a source, a node, assign, output or '}'");
    }
  }

  void node(Graph& graph) {
    std::vector<int> outs;
    do outs.push_back(new_id());
    while (reader_.accept(","));
    reader_.expect("=");
    auto op = read_op(reader_, lookup_);
    Node node;
    node.op = op.op;
    node.attrs = op.attrs;
    node.site.line = 0;
    Types in;
    reader_.expect("(");
    if (!reader_.accept(")")) {
      do {
        auto v = old_value(graph);
        node.in.push_back(v.id);
        in.push_back(v.type());
      } while (reader_.accept(","));
      reader_.expect(")");
    }
    reader_.expect(":");
    Types types;
    do types.push_back(read_type(reader_));
    while (reader_.accept(","));
    read_marks(reader_, &node.name, &node.phase, &node.group, &node.stage, &node.recompute);
    check_arity(node.op->info, in.size());
    auto inferred = node.op->infer(node.attrs.get(), in);
    if (inferred != types || types.size() != outs.size())
      throw user_error(fmt::format("{}: stated result types are not what the op gives", node.op->info.name)).at(node.name);
    auto made = graph.add(std::move(node), types);
    for (size_t i = 0; i < outs.size(); ++i) bind(outs[i], made[i]);
  }

  int new_id() {
    reader_.expect("%");
    auto id = static_cast<int>(reader_.number("a value number"));
    if (values_.contains(id)) reader_.fail(fmt::format("%{} is defined twice", id));
    return id;
  }
  void bind(int id, Value v) {
    if (!values_.emplace(id, v.id).second) reader_.fail(fmt::format("%{} is defined twice", id));
  }
  Value old_value(Graph& graph) {
    reader_.expect("%");
    auto id = static_cast<int>(reader_.number("a value number"));
    auto it = values_.find(id);
    if (it == values_.end()) reader_.fail(fmt::format("%{} is read before it is defined", id));
    return graph.value(it->second);
  }

  Reader& reader_;
  const OpLookup& lookup_;
  std::unordered_map<int, int> values_;
};
}  // namespace

OpText read_op(Reader& reader, const OpLookup& lookup) {
  auto name = reader.word("an op");
  return placed(reader, [&]() -> OpText {
    const OpRow& row = lookup(name);
    return {&row, row.parse(reader.bracketed('{', '}'))};
  });
}

void read_marks(Reader& reader, std::string* name, Phase* phase, int* group, int* stage, bool* recompute) {
  if (reader.accept("@")) *name = reader.quoted_text("a layer name");
  while (reader.accept("#")) {
    if (reader.accept("group=")) *group = static_cast<int>(reader.number("a group number"));
    else if (reader.accept("stage=")) *stage = static_cast<int>(reader.number("a stage number"));
    else if (reader.accept("recompute")) *recompute = true;
    else {
      auto word = reader.word("a mark");
      placed(reader, [&] { field_parse(word, *phase); });
    }
  }
}

VariableInfo read_variable_info(Reader& reader) {
  VariableInfo info;
  placed(reader, [&] { record_parse(reader.bracketed('{', '}'), info); });
  return info;
}

std::vector<float> read_entries(Reader& reader) {
  std::vector<float> entries;
  placed(reader, [&] { field_parse(reader.bracketed('[', ']'), entries); });
  return entries;
}

Type read_type(Reader& reader) {
  auto text = reader.type_text();
  return placed(reader, [&] { return parse_type(text); });
}

Graph parse_graph(std::string_view text, const OpLookup& lookup, std::string origin) {
  Reader reader(text, std::move(origin));
  return GraphReader(reader, lookup).read();
}

}  // namespace lockstep
