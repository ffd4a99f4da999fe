#include "lockstep/targets/cpu/executable.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "lockstep/targets/cpu/lowering.h"
#include "lockstep/targets/cpu/onednn/context.h"

namespace lockstep::cpu {

Block::Block(int64_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* p =
      ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    throw system_error("no memory for the planned " + bytes_text(bytes)).advise("lower train.batch");
  data_ = static_cast<std::byte*>(p);
}

Block::~Block() {
  if (data_ != nullptr) ::munmap(data_, static_cast<size_t>(bytes_));
}

Block::Block(Block&& o) noexcept
    : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
Block& Block::operator=(Block&& o) noexcept {
  std::swap(data_, o.data_);
  std::swap(bytes_, o.bytes_);
  return *this;
}

namespace {
constexpr int most_loops = 6;
int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Offsets of consecutive things, each aligned; returns the total.
template <class List, class Bytes>
int64_t stack_up(const List& list, std::vector<int64_t>& offsets, Bytes bytes) {
  int64_t at = 0;
  for (const auto& item : list) {
    offsets.push_back(at);
    at += aligned(bytes(item));
  }
  return at;
}
}  // namespace

CpuExecutable::CpuExecutable(Bundle bundle, const TargetOptions& options)
    : bundle_(std::move(bundle)),
      options_(options),
      team_(options.threads > 0 ? options.threads : usable_threads()) {
  SingleThreaded library_objects;  // are made for one thread: the team's parts are the only parallelism
  std::vector<Lowered> lowered;
  for (const auto& p : bundle_.programs) lowered.push_back(lower_program(bundle_, p, options_, team_.size()));
  for (auto& l : lowered) {
    l.code.arena = plan_arena(l.code.buffers);
    counted_bytes_ += l.counted_bytes;
    kept_.insert(kept_.end(), l.kept.begin(), l.kept.end());
    bound_actions_.push_back(std::move(l.bound_actions));
    codes_.push_back(std::move(l.code));
  }
  lay_out();
  for (size_t p = 0; p < codes_.size(); ++p) {
    auto& code = codes_[p];
    for (size_t c = 0; c < code.cells.size(); ++c)
      if (int b = lowered[p].cell_buffer[c]; b >= 0)
        code.cells[c].base = arena_.data() + code.buffers[b].offset;
    bind(code);
    for (auto& action : bound_actions_[p]) action(code.cells.data());
    tickets_.push_back(std::make_unique<Tickets[]>(code.entries.size()));
    executions_.emplace_back(team_.size(), std::vector<int64_t>(code.entries.size(), 0));
  }
  bound_actions_.clear();
  report_memory();
}

CpuExecutable::~CpuExecutable() = default;

void CpuExecutable::lay_out() {
  variables_ = Block(
      stack_up(bundle_.variables, variable_offsets_, [](const VariableDecl& v) { return v.type.bytes(); }));
  tables_ =
      Block(stack_up(bundle_.tables, table_offsets_, [](const TableDecl& t) { return t.type().bytes(); }));
  for (size_t t = 0; t < bundle_.tables.size(); ++t)
    if (!bundle_.tables[t].entries.empty())
      std::memcpy(tables_.data() + table_offsets_[t], bundle_.tables[t].entries.data(),
                  bundle_.tables[t].type().bytes());
  int64_t outputs = 0, arena = 0;
  for (auto& code : codes_) {
    for (const auto& o : code.program->outputs) {
      code.output_offsets.push_back(outputs);
      outputs += aligned(o.type.bytes() * o.slots);
    }
    arena = std::max(arena, code.arena.bytes);
  }
  outputs_ = Block(outputs);
  arena_ = Block(arena);
}

void CpuExecutable::bind(ProgramCode& code) {
  for (size_t c = 0; c < code.cells.size(); ++c) {
    const auto& o = code.cell_operand[c];
    auto& cell = code.cells[c];
    switch (o.kind) {
      case OperandKind::variable:
        cell.base = variables_.data() + variable_offsets_[o.id];
        break;
      case OperandKind::table:
        cell.base = tables_.data() + table_offsets_[o.id];
        break;
      case OperandKind::output:
        cell.base = outputs_.data() + code.output_offsets[o.id];
        cell.slot_bytes = code.program->outputs[o.id].type.bytes();
        break;
      case OperandKind::value:
      case OperandKind::stream:
        break;  // placed in the arena already; set by connect()
    }
  }
}

void CpuExecutable::report_memory() {
  memory_.arena_bytes = arena_.bytes();
  memory_.variable_bytes = variables_.bytes();
  memory_.table_bytes = tables_.bytes();
  memory_.output_bytes = outputs_.bytes();
  memory_.code_bytes = counted_bytes_;
  const ProgramCode* fullest = nullptr;
  for (const auto& code : codes_) {
    memory_.code_bytes += static_cast<int64_t>(code.entries.size() * (sizeof(Entry) + sizeof(Tickets)) +
                                               code.cells.size() * (sizeof(Cell) + sizeof(Operand)));
    if (fullest == nullptr || code.arena.peak_live > fullest->arena.peak_live) fullest = &code;
  }
  if (fullest == nullptr) return;
  memory_.peak_live_bytes = fullest->arena.peak_live;
  for (const auto& g : fullest->groups)
    if (g.first_entry <= fullest->arena.peak_call && fullest->arena.peak_call <= g.last_entry) {
      std::string ops;
      for (const auto* s : g.steps)
        ops += (ops.empty() ? "" : "+") +
               (s->op != nullptr ? std::string(s->op->info.name) : field_text(s->kind));
      memory_.peak_op = fmt::format("{} of layer '{}' ({}) in program '{}'", ops, g.steps.back()->name,
                                    field_text(g.steps.back()->phase), fullest->program->name);
    }
  for (const auto& b : fullest->buffers)
    if (b.first <= fullest->arena.peak_call && fullest->arena.peak_call <= b.last)
      memory_.largest.push_back({b.name, b.bytes, fmt::format("at offset {}", b.offset)});
  std::stable_sort(memory_.largest.begin(), memory_.largest.end(),
                   [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (memory_.largest.size() > 8) memory_.largest.resize(8);
}

void CpuExecutable::read_variable(int v, void* bytes) const {
  std::copy_n(variables_.data() + variable_offsets_.at(v), bundle_.variables[v].type.bytes(),
              static_cast<std::byte*>(bytes));
}
void CpuExecutable::write_variable(int v, const void* bytes) {
  std::copy_n(static_cast<const std::byte*>(bytes), bundle_.variables[v].type.bytes(),
              variables_.data() + variable_offsets_.at(v));
}

void CpuExecutable::connect(int program, StreamSource* source) {
  auto& code = codes_.at(program);
  code.source = source;
  for (size_t c = 0; c < code.cells.size(); ++c) {
    const auto& o = code.cell_operand[c];
    if (o.kind != OperandKind::stream) continue;
    code.cells[c].base = source->base(o.id);
    code.cells[c].slot_bytes = source->slot_bytes(o.id);
  }
}

const std::byte* CpuExecutable::output(int program, int port, int64_t iteration) const {
  const auto& code = codes_.at(program);
  const auto& decl = code.program->outputs.at(port);
  return outputs_.data() + code.output_offsets[port] + (iteration % decl.slots) * decl.type.bytes();
}

void CpuExecutable::stop_on(int program, int port) { codes_.at(program).stop_port = port; }

/// One call of run(): what the members share.
struct CpuExecutable::Invocation {
  CpuExecutable* self;
  ProgramCode* code;
  size_t program;
  int64_t first, count;
  std::atomic<bool> closed{false};
  int64_t steps_done = 0;  // written by member 0
};

RunResult CpuExecutable::run(int program, int64_t first, int64_t count) noexcept {
  auto& code = codes_[program];
  fault_.raised.store(false, std::memory_order_relaxed);
  Invocation call{this, &code, static_cast<size_t>(program), first, count, {}, 0};
  SingleThreaded on_the_caller;  // the caller's own setting comes back behind the call
  team_.run(
      [](void* context, int member) {
        auto& c = *static_cast<Invocation*>(context);
        omp_set_num_threads(1);
        c.self->walk(c, member);
      },
      &call);
  RunResult result;
  result.steps_done = call.steps_done;
  result.stream_closed = call.closed.load();
  bool faulted = fault_.raised.load();
  result.ok = !faulted && !result.stream_closed;
  if (faulted) result.fault = fault_.text;
  return result;
}

void CpuExecutable::run_parts(Invocation& c, int member, size_t at, const Frame& frame) noexcept {
  const auto& call = c.code->entries[at].call;
  if (team_.size() == 1) {
    for (int64_t p = 0; p < call.parts; ++p) call.function(call.args, frame, p);
    return;
  }
  if (call.parts == 1) {
    if (member == 0) call.function(call.args, frame, 0);
    return;
  }
  int64_t base = executions_[c.program][member][at]++ * (call.parts + team_.size());
  auto& next = tickets_[c.program][at].next;
  for (;;) {
    int64_t part = next.fetch_add(1, std::memory_order_relaxed) - base;
    if (part >= call.parts) return;
    call.function(call.args, frame, part);
  }
}

void CpuExecutable::walk(Invocation& c, int member) noexcept {
  auto& code = *c.code;
  int64_t iteration[most_loops] = {}, left[most_loops] = {};
  Frame frame{code.cells.data(), iteration, &fault_, member};
  for (size_t at = 0; at < code.entries.size(); ++at) {
    const auto& e = code.entries[at];
    switch (e.kind) {
      case EntryKind::call:
        run_parts(c, member, at, frame);
        if (e.barrier && team_.size() > 1) team_.barrier().wait();
        break;
      case EntryKind::loop_begin:
        iteration[e.loop] = e.loop == 0 ? c.first : 0;
        left[e.loop] = e.loop == 0 ? std::min(c.count, e.limit) : e.limit;
        if (left[e.loop] <= 0) at = static_cast<size_t>(e.jump);
        break;
      case EntryKind::loop_end: {
        // Members read the same bytes behind the last barrier and so agree on whether to go on.
        bool stop = e.loop == 0 && fault_.raised.load(std::memory_order_relaxed);
        if (e.loop == 0 && code.stop_port >= 0) {
          const auto& port = code.program->outputs[code.stop_port];
          stop = stop || outputs_.data()[code.output_offsets[code.stop_port] +
                                         (iteration[0] % port.slots) * port.type.bytes()] == std::byte{0};
        }
        if (e.loop == 0 && member == 0) ++c.steps_done;
        ++iteration[e.loop];
        if (--left[e.loop] > 0 && !stop) at = static_cast<size_t>(e.jump);
        if (team_.size() > 1) team_.barrier().wait();
        break;
      }
      case EntryKind::feed:
        if (member == 0 && (code.source == nullptr || !code.source->wait_full(iteration[e.loop])))
          c.closed.store(true);
        if (team_.size() > 1) team_.barrier().wait();
        if (c.closed.load(std::memory_order_relaxed)) return;
        break;
      case EntryKind::release:
        if (member == 0) code.source->release(iteration[e.loop]);
        break;
    }
  }
}

std::string CpuExecutable::find_non_finite(int program, int64_t iteration_number) {
  auto& code = codes_.at(program);
  std::vector<std::byte> saved(variables_.data(), variables_.data() + variables_.bytes());
  int64_t iteration[most_loops] = {iteration_number};
  FaultBox ignored;
  Frame frame{code.cells.data(), iteration, &ignored, 0};
  SingleThreaded on_the_caller;
  std::string found;
  for (const auto& g : code.groups) {
    for (int at = g.first_entry; at <= g.last_entry; ++at) {
      const auto& call = code.entries[at].call;
      for (int64_t p = 0; call.function != nullptr && p < call.parts; ++p) call.function(call.args, frame, p);
    }
    for (const auto& r : g.results) {
      const auto* values = frame.at<const float>(r.ref);
      if (std::all_of(values, values + r.elements, [](float v) { return std::isfinite(v); })) continue;
      found = fmt::format("{} of layer '{}' ({})", r.step->op->info.name, r.step->name,
                          field_text(r.step->phase));
      break;
    }
    if (!found.empty()) break;
  }
  std::copy(saved.begin(), saved.end(), variables_.data());
  return found;
}

std::vector<Choice> CpuExecutable::choices() const {
  std::vector<Choice> all;
  for (const auto& code : codes_)
    for (const auto& g : code.groups) {
      if (g.kernel == nullptr) continue;
      Choice c;
      c.program = code.program->name;
      c.layer = g.steps.back()->name;
      c.kernel = g.kernel->name;
      c.refused = g.refused;
      for (const auto* s : g.steps) {
        c.ops += (c.ops.empty() ? "" : "+") + std::string(s->op->info.name);
        Types in;
        for (const auto& o : s->reads) in.push_back(bundle_.type_of(*code.program, o));
        auto cost = s->op->cost(s->attrs.get(), in);
        c.flops += cost.flops;
        c.bytes += cost.bytes;
      }
      all.push_back(std::move(c));
    }
  return all;
}

std::string CpuExecutable::plan_text() const {
  std::string out =
      fmt::format("plan cpu threads={} arena={} variables={} tables={} outputs={} bundle={}\n", team_.size(),
                  arena_.bytes(), variables_.bytes(), tables_.bytes(), outputs_.bytes(), hash_of(bundle_));
  for (const auto& code : codes_) {
    out += fmt::format("program {} arena={} peak_live={}\n", code.program->name, code.arena.bytes,
                       code.arena.peak_live);
    for (const auto& g : code.groups) {
      std::string ops;
      int64_t parts = 0;
      for (const auto* s : g.steps)
        ops += (ops.empty() ? "" : "+") +
               (s->op != nullptr ? std::string(s->op->info.name) : field_text(s->kind));
      for (int e = g.first_entry; e <= g.last_entry; ++e) parts = std::max(parts, code.entries[e].call.parts);
      out += fmt::format("  {:4} {:32} {:28} {:24} calls={} parts={}\n", g.first_entry, g.steps.back()->name,
                         ops, g.kernel != nullptr ? g.kernel->name : "copy", g.last_entry - g.first_entry + 1,
                         parts);
    }
    out += "  buffers\n";
    for (const auto& b : code.buffers)
      out += fmt::format("    {:>12} + {:<12} calls {:4} .. {:<4} {}\n", b.offset, b.bytes, b.first, b.last,
                         b.name);
  }
  return out;
}

}  // namespace lockstep::cpu
