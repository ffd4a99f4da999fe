#include "lockstep/ir/parse.h"

#include <fmt/format.h>

#include <limits>
#include <unordered_map>

#include "lockstep/ir/verify.h"

namespace lockstep {
namespace {
/// A whole number in 0..2^31-1.
int small_number(Reader& reader, std::string_view what) {
  int64_t n = reader.number(what);
  if (n < 0 || n > std::numeric_limits<int>::max()) reader.fail_last(fmt::format("{} is out of range", what));
  return static_cast<int>(n);
}

class GraphReader {
 public:
  GraphReader(Reader& reader, const OpLookup& lookup) : reader_(reader), lookup_(lookup) {}

  Graph read() {
    reader_.expect("graph");
    Graph graph(reader_.quoted_text("the graph's name"));
    reader_.expect("stage=");
    reader_.placed([&] { field_parse(reader_.word("a stage"), graph.stage); });
    reader_.expect("{");
    while (!reader_.accept("}")) reader_.placed([&] { line(graph); });
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
    try {
      check_types(node, in, types, outs.size());
    } catch (Error& e) {
      throw e.at(describe(graph, node));
    }
    auto made = graph.add(std::move(node), types);
    for (size_t i = 0; i < outs.size(); ++i) bind(outs[i], made[i]);
  }

  static std::string types_text(const Types& types) {
    std::vector<std::string> texts;
    for (const auto& t : types) texts.push_back(type_text(t));
    return join(texts, ", ");
  }

  static void check_types(const Node& node, const Types& in, const Types& types, size_t results) {
    check_arity(node.op->info, in.size());
    if (auto inferred = node.op->infer(node.attrs.get(), in); inferred != types)
      throw user_error(fmt::format("{}: stated result types are not what the op gives", node.op->info.name))
          .but(types_text(types), types_text(inferred));
    if (types.size() != results)
      throw user_error(fmt::format("{} results have {} types", results, types.size()));
  }

  int new_id() {
    reader_.expect("%");
    int id = small_number(reader_, "a value number");
    if (values_.contains(id)) reader_.fail_last(fmt::format("%{} is defined twice", id));
    return id;
  }
  void bind(int id, Value v) {
    if (!values_.emplace(id, v.id).second) reader_.fail_last(fmt::format("%{} is defined twice", id));
  }
  Value old_value(Graph& graph) {
    reader_.expect("%");
    int id = small_number(reader_, "a value number");
    auto it = values_.find(id);
    if (it == values_.end()) reader_.fail_last(fmt::format("%{} is read before it is defined", id));
    return graph.value(it->second);
  }

  Reader& reader_;
  const OpLookup& lookup_;
  std::unordered_map<int, int> values_;
};
}  // namespace

OpText read_op(Reader& reader, const OpLookup& lookup) {
  return reader.placed([&]() -> OpText {
    const OpRow& row = lookup(reader.word("an op"));
    return {&row, row.parse(reader.bracketed('{', '}'))};
  });
}

void read_marks(Reader& reader, std::string* name, Phase* phase, int* group, int* stage, bool* recompute) {
  if (reader.accept("@")) *name = reader.quoted_text("a layer name");
  while (reader.accept("#")) {
    if (reader.accept("group="))
      *group = small_number(reader, "a group number");
    else if (reader.accept("stage="))
      *stage = small_number(reader, "a stage number");
    else if (reader.accept("recompute"))
      *recompute = true;
    else {
      reader.placed([&] { field_parse(reader.word("a mark"), *phase); });
    }
  }
}

VariableInfo read_variable_info(Reader& reader) {
  VariableInfo info;
  reader.placed([&] { record_parse(reader.bracketed('{', '}'), info); });
  return info;
}

std::vector<float> read_entries(Reader& reader) {
  std::vector<float> entries;
  reader.placed([&] { field_parse(reader.bracketed('[', ']'), entries); });
  return entries;
}

Type read_type(Reader& reader) {
  return reader.placed([&] { return parse_type(reader.type_text()); });
}

Graph parse_graph(std::string_view text, const OpLookup& lookup, std::string origin) {
  Reader reader(text, origin);
  auto graph = GraphReader(reader, lookup).read();
  try {
    verify(graph);
  } catch (const Error& e) {  // the verifier speaks of our own graphs, where a broken rule is a bug; here it
                              // is the text's
    throw user_error(e.problem).at(e.where.empty() ? origin : origin + ": " + e.where);
  }
  return graph;
}

}  // namespace lockstep
