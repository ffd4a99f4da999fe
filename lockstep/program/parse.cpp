// Reads the text form of a bundle; what is read is verified before it is returned.
#include "lockstep/ir/parse.h"

#include <fmt/format.h>

#include "lockstep/program/bundle.h"
#include "lockstep/program/verify.h"

namespace lockstep {
namespace {

constexpr std::string_view loop_names = "ijklmn";
constexpr int64_t most_slots = 1 << 24;

class BundleReader {
 public:
  BundleReader(Reader& reader, const OpLookup& lookup) : reader_(reader), lookup_(lookup) {}

  Bundle read() {
    reader_.expect("bundle");
    bundle_.name = reader_.quoted_text("the bundle's name");
    reader_.expect("format=");
    int64_t format = reader_.number("the format version");
    if (format > bundle_format)
      throw user_error("this bundle is newer than this program")
          .at(reader_.place())
          .but(fmt::format("format {}", format), fmt::format("format {} or older", bundle_format))
          .advise("install a newer lockstep");
    if (format < 1) reader_.fail_last("no such format version");
    reader_.expect("{");
    while (reader_.accept("variable")) variable();
    while (reader_.accept("table")) table();
    while (reader_.accept("program")) program();
    reader_.expect("}");
    if (!reader_.at_end()) reader_.fail("text behind the end of the bundle");
    return std::move(bundle_);
  }

 private:
  /// Declarations are numbered in order: what the text says must be what comes next.
  void declare(std::string_view sigil, size_t next) {
    reader_.expect(sigil);
    if (reader_.number("a number") != static_cast<int64_t>(next))
      reader_.fail_last(fmt::format("declarations must be numbered in order, {} comes next", next));
  }

  void variable() {
    declare("$", bundle_.variables.size());
    VariableDecl v;
    v.name = reader_.quoted_text("the variable's name");
    if (bundle_.find_variable(v.name) >= 0) reader_.fail_last("two variables have this name");
    reader_.expect(":");
    v.type = read_type(reader_);
    v.info = read_variable_info(reader_);
    bundle_.variables.push_back(std::move(v));
  }

  void table() {
    declare("&", bundle_.tables.size());
    auto name = reader_.quoted_text("the table's name");
    for (const auto& t : bundle_.tables)
      if (t.name == name) reader_.fail_last("two tables have this name");
    reader_.expect("=");
    bundle_.tables.push_back({name, read_entries(reader_)});
  }

  int64_t slots() {
    if (!reader_.accept("x")) return 1;
    int64_t n = reader_.number("a number of slots");
    if (n < 1 || n > most_slots) reader_.fail_last(fmt::format("slots must be between 1 and {}", most_slots));
    return n;
  }

  void ports(std::string_view word, std::string_view sigil, std::vector<PortDecl>& list) {
    while (reader_.accept(word)) {
      declare(sigil, list.size());
      PortDecl p;
      p.name = reader_.quoted_text("a name");
      for (const auto& other : list)
        if (other.name == p.name) reader_.fail_last(fmt::format("two {}s have this name", word));
      reader_.expect(":");
      p.type = read_type(reader_);
      p.slots = slots();
      list.push_back(std::move(p));
    }
  }

  void program() {
    Program p;
    p.name = reader_.quoted_text("the program's name");
    if (bundle_.find_program(p.name) >= 0) reader_.fail_last("two programs have this name");
    reader_.expect("{");
    ports("stream", "!", p.streams);
    ports("output", "^", p.outputs);
    program_ = &p;
    while (!reader_.accept("}")) p.steps.push_back(step(0));
    bundle_.programs.push_back(std::move(p));
  }

  int bounded(size_t size) {
    int64_t id = reader_.number("a number");
    if (id < 0 || id >= static_cast<int64_t>(size)) reader_.fail_last("no such declaration");
    return static_cast<int>(id);
  }

  SlotIndex index() {
    SlotIndex index;
    if (!reader_.accept("[")) return index;
    auto name = reader_.word("a loop variable");
    auto loop = name.size() == 1 ? loop_names.find(name) : std::string_view::npos;
    if (loop == std::string_view::npos) reader_.fail_last("no such loop variable");
    index.loop = static_cast<int>(loop);
    if (reader_.accept("+") || reader_.next_is("-")) index.offset = reader_.number("an offset");
    if (index.offset < -most_slots || index.offset > most_slots)
      reader_.fail_last("the offset is out of range");
    reader_.expect("mod");
    index.modulo = reader_.number("a modulus");
    reader_.expect("]");
    return index;
  }

  Operand operand() {
    Operand o;
    if (reader_.accept("%"))
      o = {OperandKind::value, bounded(program_->values.size()), {}};
    else if (reader_.accept("$"))
      o = {OperandKind::variable, bounded(bundle_.variables.size()), {}};
    else if (reader_.accept("&"))
      o = {OperandKind::table, bounded(bundle_.tables.size()), {}};
    else if (reader_.accept("!"))
      o = {OperandKind::stream, bounded(program_->streams.size()), {}};
    else if (reader_.accept("^"))
      o = {OperandKind::output, bounded(program_->outputs.size()), {}};
    else
      reader_.fail("expected an operand (%, $, &, ! or ^)");
    o.index = index();
    return o;
  }

  /// A written operand; a value that is new here states its type.
  Operand target() {
    if (!reader_.next_is("%")) return operand();
    reader_.expect("%");
    int64_t id = reader_.number("a value number");
    if (id < 0 || id > static_cast<int64_t>(program_->values.size()))
      reader_.fail_last(
          fmt::format("values must be numbered in order, %{} comes next", program_->values.size()));
    Operand o{OperandKind::value, static_cast<int>(id), index()};
    if (id == static_cast<int64_t>(program_->values.size())) {
      reader_.expect(":");
      ValueDecl decl{read_type(reader_), 1};
      decl.slots = slots();
      program_->values.push_back(std::move(decl));
    }
    return o;
  }

  template <class Read>
  Operands list(Read read) {
    Operands all;
    do all.push_back(read());
    while (reader_.accept(","));
    return all;
  }

  Exchange exchange() {
    Exchange e;
    reader_.placed([&] { record_parse(reader_.bracketed('{', '}'), e); });
    return e;
  }

  Step transfer(StepKind kind) {
    Step s;
    s.kind = kind;
    if (kind == StepKind::collective) s.exchange = exchange();
    s.writes = {target()};
    reader_.expect("=");
    s.reads = {operand()};
    return s;
  }

  Step simple() {
    Step s;
    if (reader_.accept("copy")) return transfer(StepKind::copy);
    if (reader_.accept("fetch")) return transfer(StepKind::fetch);
    if (reader_.accept("collective")) return transfer(StepKind::collective);
    if (reader_.accept("send")) {
      s.kind = StepKind::send;
      s.exchange = exchange();
      s.reads = {operand()};
    } else if (reader_.accept("recv")) {
      s.kind = StepKind::recv;
      s.exchange = exchange();
      s.writes = {target()};
    } else if (reader_.accept("feed")) {
      s.kind = StepKind::feed;
      s.reads = {operand()};
    } else if (reader_.accept("wait")) {
      s.kind = StepKind::wait;
      s.handle = reader_.number("a handle");
    } else {
      s.writes = list([&] { return target(); });
      reader_.expect("=");
      auto op = read_op(reader_, lookup_);
      s.op = op.op;
      s.attrs = op.attrs;
      reader_.expect("(");
      if (!reader_.accept(")")) {
        s.reads = list([&] { return operand(); });
        reader_.expect(")");
      }
    }
    return s;
  }

  Step step(int depth) {
    Step s;
    if (reader_.accept("repeat")) {
      if (depth >= static_cast<int>(loop_names.size())) reader_.fail("repeats are nested too deeply");
      s.kind = StepKind::repeat;
      if (reader_.word("a loop variable") != loop_names.substr(depth, 1))
        reader_.fail_last(fmt::format("the loop variable here is {}", loop_names[depth]));
      reader_.expect("<=");
      s.limit = reader_.number("a limit");
      reader_.expect("{");
      while (!reader_.accept("}")) s.body.push_back(step(depth + 1));
      return s;
    }
    if (reader_.accept("start")) {
      s.kind = StepKind::start;
      s.handle = reader_.number("a handle");
      s.body.push_back(simple());
    } else {
      s = simple();
    }
    read_marks(reader_, &s.name, &s.phase, &s.group, &s.stage, &s.recompute);
    return s;
  }

  Reader& reader_;
  const OpLookup& lookup_;
  Bundle bundle_;
  Program* program_ = nullptr;
};

}  // namespace

Bundle parse_bundle(std::string_view text, const OpLookup& lookup, std::string origin) {
  Reader reader(text, std::move(origin));
  auto bundle = BundleReader(reader, lookup).read();
  verify(bundle);
  return bundle;
}

}  // namespace lockstep
