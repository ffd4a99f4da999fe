#include "lockstep/targets/cpu/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lockstep/targets/cpu/kernels/copy.h"

namespace lockstep::cpu {
namespace {

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class ProgramLowering final : public CallSink {
 public:
  ProgramLowering(const Bundle& bundle, const Program& program, const TargetOptions& options, int threads)
      : bundle_(bundle),
        program_(program),
        options_(options),
        threads_(threads),
        reads_(program.values.size(), 0),
        buffer_of_(program.values.size(), -1) {
    check_names(options.force);
    check_names(options.avoid);
    out_.code.program = &program;
    out_.code.layouts = choose_layouts(bundle, program);
    for_each_step(program.steps, [&](const Step& s, int) {
      for (const auto& r : s.reads)
        if (r.kind == OperandKind::value) ++reads_[r.id];
    });
  }

  Lowered lower() {
    steps(program_.steps, 0);
    for (size_t v = 0; v < program_.values.size(); ++v)
      if (buffer_of_[v] >= 0 && program_.values[v].slots > 1) {  // lives from one iteration to another
        out_.code.buffers[buffer_of_[v]].first = 0;
        out_.code.buffers[buffer_of_[v]].last = static_cast<int>(out_.code.entries.size());
      }
    elide_barriers();
    return std::move(out_);
  }

  // ---- CallSink ----
  Ref ref(const Operand& o) override {
    Cell cell;
    cell.loop = o.index.loop;
    cell.offset = o.index.offset;
    cell.modulo = o.index.modulo;
    int buffer = -1;
    if (o.kind == OperandKind::value) {
      if (buffer_of_[o.id] < 0) {
        buffer_of_[o.id] = static_cast<int>(out_.code.buffers.size());
        const auto& decl = program_.values[o.id];
        out_.code.buffers.push_back(
            {decl.type.bytes() * decl.slots, here(), here(), fmt::format("%{} {}", o.id, layer_)});
      }
      buffer = buffer_of_[o.id];
      cell.slot_bytes = program_.values[o.id].type.bytes();
      touch(buffer);
    }
    out_.code.cells.push_back(cell);
    out_.code.cell_operand.push_back(o);
    out_.cell_buffer.push_back(buffer);
    return {static_cast<int>(out_.code.cells.size()) - 1};
  }

  Ref scratch(int64_t bytes) override {
    out_.code.buffers.push_back({bytes, here(), here(), "scratch of " + layer_});
    int buffer = static_cast<int>(out_.code.buffers.size()) - 1;
    touch(buffer);
    out_.code.cells.emplace_back();
    out_.code.cell_operand.push_back({OperandKind::value, -1, {}});
    out_.cell_buffer.push_back(buffer);
    return {static_cast<int>(out_.code.cells.size()) - 1};
  }

  void call(CallFunction function, const void* args, int64_t parts) override {
    if (parts < 1) return;
    Entry e;
    e.call = {function, args, parts};
    e.group = static_cast<int>(out_.code.groups.size());
    out_.code.entries.push_back(e);
  }

  void keep(std::shared_ptr<void> object) override { out_.kept.push_back(std::move(object)); }
  void on_bound(std::function<void(const Cell*)> action) override {
    out_.bound_actions.push_back(std::move(action));
  }
  int threads() const override { return threads_; }
  void count_bytes(int64_t bytes) override { out_.counted_bytes += bytes; }

 private:
  static void check_names(const std::vector<std::string>& wanted) {
    std::vector<std::string> names;
    for (const auto& k : all_kernels()) names.emplace_back(k.name);
    for (const auto& w : wanted)
      if (!contains(names, w))
        throw user_error(fmt::format("unknown kernel '{}'{}", w, did_you_mean(w, names)))
            .but(w, join(names, ", "));
  }

  int here() const { return static_cast<int>(out_.code.entries.size()); }
  void touch(int buffer) { touched_.push_back(buffer); }

  /// Buffers a kernel touched live from its first call to its last.
  void close_interval(int first_entry) {
    int last = std::max(first_entry, here() - 1);
    for (int b : touched_) {
      auto& buffer = out_.code.buffers[b];
      buffer.first = std::min(buffer.first, first_entry);
      buffer.last = std::max(buffer.last, last);
    }
    touched_.clear();
  }

  void entry(EntryKind kind, int loop, int64_t limit = 0) {
    Entry e;
    e.kind = kind;
    e.loop = loop;
    e.limit = limit;
    out_.code.entries.push_back(e);
  }

  void steps(const std::vector<Step>& list, int depth) {
    bool fed = false;
    for (size_t i = 0; i < list.size(); ++i) {
      const Step& s = list[i];
      switch (s.kind) {
        case StepKind::repeat: {
          int begin = here();
          entry(EntryKind::loop_begin, depth, s.limit);
          steps(s.body, depth + 1);
          entry(EntryKind::loop_end, depth);
          out_.code.entries[begin].jump = here() - 1;
          out_.code.entries[here() - 1].jump = begin;
          break;
        }
        case StepKind::feed:
          if (!fed) entry(EntryKind::feed, depth - 1);
          fed = true;
          break;
        case StepKind::run: {
          size_t end = i + 1;
          while (s.group >= 0 && end < list.size() && list[end].kind == StepKind::run &&
                 list[end].group == s.group)
            ++end;
          std::vector<const Step*> members;
          for (size_t m = i; m < end; ++m) members.push_back(&list[m]);
          group(members);
          i = end - 1;
          break;
        }
        case StepKind::copy:
        case StepKind::fetch:
          move(s);
          break;
        case StepKind::collective:
        case StepKind::send:
        case StepKind::recv:
        case StepKind::start:
        case StepKind::wait:
          throw user_error(
              fmt::format("the cpu target does not run '{}' steps: this program belongs to several ranks",
                          field_text(s.kind)))
              .at(fmt::format("program '{}'", program_.name));
      }
    }
    if (fed) entry(EntryKind::release, depth - 1);
  }

  /// Readers outside the group: all reads less those by members.
  std::vector<int> reads_outside(const std::vector<const Step*>& members) const {
    auto outside = reads_;
    for (const auto* m : members)
      for (const auto& r : m->reads)
        if (r.kind == OperandKind::value) --outside[r.id];
    return outside;
  }

  void group(const std::vector<const Step*>& members) {
    auto outside = reads_outside(members);
    GroupView view(bundle_, program_, out_.code.layouts, members, outside);
    LoweredGroup lowered;
    lowered.steps = members;
    lowered.kernel = choose(view, members, &lowered.refused);
    if (lowered.kernel == nullptr) {  // no kernel takes the group whole
      for (const auto* m : members) {
        if (members.size() == 1) throw bug("no kernel fits, not even the eval wrapper").at(m->name);
        group({m});
      }
      return;
    }
    layer_ = fmt::format("{} ({})", members.back()->name, ops_text(members));
    lowered.first_entry = here();
    lowered.kernel->lower(view, *this);
    for (const auto* m : members)
      for (const auto& w : m->writes)
        if (bundle_.type_of(program_, w).dtype == DType::f32 && w.kind == OperandKind::value &&
            buffer_of_[w.id] >= 0)
          lowered.results.push_back({ref(w), bundle_.type_of(program_, w).elements(), m});
    close_interval(lowered.first_entry);
    lowered.last_entry = here() - 1;
    out_.code.groups.push_back(std::move(lowered));
  }

  static std::string ops_text(const std::vector<const Step*>& members) {
    std::string text;
    for (const auto* m : members) text += (text.empty() ? "" : "+") + std::string(m->op->info.name);
    return text;
  }

  const Kernel* choose(const GroupView& view, const std::vector<const Step*>& members,
                       std::vector<std::pair<std::string, std::string>>* refused) const {
    std::vector<std::string_view> ops;
    for (const auto* m : members) ops.push_back(m->op->info.name);
    const Kernel* best = nullptr;
    for (const auto& k : all_kernels()) {
      bool any = k.ops.size() == 1 && k.ops[0] == "*" && ops.size() == 1;
      if (!any && k.ops != ops) continue;
      if (contains(options_.avoid, k.name)) {
        refused->emplace_back(k.name, "avoided on request");
        continue;
      }
      auto fit = k.fits(view);
      if (!fit.fits) {
        refused->emplace_back(k.name, fit.reason);
        continue;
      }
      if (contains(options_.force, k.name)) return &k;
      if (best == nullptr) best = &k;
    }
    return best;
  }

  void move(const Step& s) {
    layer_ = s.name.empty() ? field_text(s.kind) : s.name;
    int first = here();
    GroupView view(bundle_, program_, out_.code.layouts, {}, reads_);
    LoweredGroup lowered;
    lowered.steps = {&s};
    lowered.first_entry = first;
    lower_copy(view, s.reads[0], s.writes[0], *this);
    close_interval(first);
    lowered.last_entry = here() - 1;
    out_.code.groups.push_back(std::move(lowered));
  }

  /// Between two one-part calls member 0 goes on alone.
  void elide_barriers() {
    auto& entries = out_.code.entries;
    for (size_t i = 0; i + 1 < entries.size(); ++i) {
      bool both_single = entries[i].kind == EntryKind::call && entries[i].call.parts == 1 &&
                         entries[i + 1].kind == EntryKind::call && entries[i + 1].call.parts == 1;
      entries[i].barrier = !both_single;
    }
  }

  const Bundle& bundle_;
  const Program& program_;
  const TargetOptions& options_;
  int threads_;
  std::vector<int> reads_;
  std::vector<int> buffer_of_;
  std::vector<int> touched_;
  std::string layer_;
  Lowered out_;
};

}  // namespace

Lowered lower_program(const Bundle& bundle, const Program& program, const TargetOptions& options,
                      int threads) {
  return ProgramLowering(bundle, program, options, threads).lower();
}

}  // namespace lockstep::cpu
