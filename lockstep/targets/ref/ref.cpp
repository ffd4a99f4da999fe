#include "lockstep/targets/ref/ref.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lockstep/ir/interpret.h"

namespace lockstep::ref {
namespace {

constexpr int most_loops = 6;

class RefExecutable final : public Executable {
 public:
  RefExecutable(Bundle bundle, const TargetOptions& options)
      : bundle_(std::move(bundle)), options_{options.in_double} {
    for (const auto& v : bundle_.variables) variables_.emplace_back(v.type);
    for (const auto& t : bundle_.tables) {
      tables_.emplace_back(t.type());
      tables_.back().real.assign(t.entries.begin(), t.entries.end());
    }
    for (const auto& p : bundle_.programs) {
      auto& state = states_.emplace_back();
      for (const auto& o : p.outputs)
        state.outputs.emplace_back(static_cast<size_t>(o.type.bytes() * o.slots));
      for (const auto& v : p.values) state.values.emplace_back(v.slots, Tensor(v.type));
    }
    report_memory();
  }

  const Bundle& bundle() const override { return bundle_; }
  const MemoryPlan& memory() const override { return memory_; }

  std::vector<Choice> choices() const override {
    std::vector<Choice> all;
    for (const auto& p : bundle_.programs)
      for_each_step(p.steps, [&](const Step& s, int) {
        if (s.kind == StepKind::run)
          all.push_back({p.name, s.name, std::string(s.op->info.name), "eval", {}, 0, 0});
      });
    return all;
  }

  std::string plan_text() const override {
    return fmt::format("plan ref in_double={} bundle={}: every step by its op's eval\n", options_.in_double,
                       hash_of(bundle_));
  }
  void read_variable(int v, void* bytes) const override { store(variables_.at(v), bytes); }
  void write_variable(int v, const void* bytes) override { load(variables_.at(v), bytes); }
  void connect(int program, StreamSource* source) override { states_.at(program).source = source; }
  void stop_on(int program, int port) override { states_.at(program).stop_port = port; }

  const std::byte* output(int program, int port, int64_t iteration) const override {
    const auto& decl = bundle_.programs[program].outputs.at(port);
    return states_[program].outputs[port].data() + (iteration % decl.slots) * decl.type.bytes();
  }

  RunResult run(int program, int64_t first, int64_t count) noexcept override {
    Walk walk{&bundle_.programs[program], &states_[program], first, count, {}, {}, false};
    try {
      steps(walk, walk.program->steps, 0);
    } catch (const std::exception& e) {
      walk.result.ok = false;
      walk.result.fault = e.what();
    }
    walk.result.ok = walk.result.ok && !walk.result.stream_closed;
    return walk.result;
  }

  std::string find_non_finite(int program, int64_t iteration) override {
    auto saved = variables_;
    Walk walk{&bundle_.programs[program], &states_[program], iteration, 1, {}, {}, true};
    std::string found;
    try {
      steps(walk, walk.program->steps, 0);
    } catch (const Error& e) {
      found = e.problem;
    }
    variables_ = std::move(saved);
    return found;
  }

 private:
  struct State {
    std::vector<std::vector<std::byte>> outputs;
    std::vector<std::vector<Tensor>> values;  ///< by value, by slot
    StreamSource* source = nullptr;
    int stop_port = -1;
  };
  struct Walk {
    const Program* program;
    State* state;
    int64_t first, count;
    int64_t iteration[most_loops];
    RunResult result;
    bool stop_at_non_finite;
  };

  static int64_t slot(const Operand& o, const Walk& w) {
    if (o.index.loop < 0) return 0;
    int64_t at = (w.iteration[o.index.loop] + o.index.offset) % o.index.modulo;
    return at < 0 ? at + o.index.modulo : at;
  }

  Tensor value_of(const Operand& o, const Walk& w) const {
    switch (o.kind) {
      case OperandKind::value:
        return w.state->values[o.id][slot(o, w)];
      case OperandKind::variable:
        return variables_[o.id];
      case OperandKind::table:
        return tables_[o.id];
      case OperandKind::stream: {
        Tensor t(w.program->streams[o.id].type);
        load(t, w.state->source->base(o.id) + slot(o, w) * w.state->source->slot_bytes(o.id));
        return t;
      }
      case OperandKind::output:
        break;
    }
    throw bug("an output is read");
  }

  void write(const Operand& o, Walk& w, Tensor t) {
    if (o.kind == OperandKind::value)
      w.state->values[o.id][slot(o, w)] = std::move(t);
    else if (o.kind == OperandKind::variable)
      variables_[o.id] = std::move(t);
    else
      store(t, w.state->outputs[o.id].data() + slot(o, w) * t.type.bytes());
  }

  void run_op(Walk& w, const Step& s) {
    std::vector<Tensor> in;
    for (const auto& o : s.reads) in.push_back(value_of(o, w));
    std::vector<const Tensor*> pointers;
    for (const auto& t : in) pointers.push_back(&t);
    Tensors made;
    try {
      made = evaluate(*s.op, s.attrs.get(), pointers, options_);
    } catch (Error& e) {
      throw e.at(fmt::format("{} of layer '{}'", s.op->info.name, s.name));
    }
    for (size_t i = 0; i < made.size(); ++i) {
      if (w.stop_at_non_finite &&
          !std::all_of(made[i].real.begin(), made[i].real.end(), [](double v) { return std::isfinite(v); }))
        throw user_error(fmt::format("{} of layer '{}' ({})", s.op->info.name, s.name, field_text(s.phase)));
      write(s.writes[i], w, std::move(made[i]));
    }
  }

  /// False when the call is to end.
  bool steps(Walk& w, const std::vector<Step>& list, int depth) {
    bool fed = false;
    for (const auto& s : list) {
      switch (s.kind) {
        case StepKind::run:
          run_op(w, s);
          break;
        case StepKind::copy:
        case StepKind::fetch:
          write(s.writes[0], w, value_of(s.reads[0], w));
          break;
        case StepKind::feed:
          if (!fed && !w.stop_at_non_finite &&
              (w.state->source == nullptr || !w.state->source->wait_full(w.iteration[depth - 1]))) {
            w.result.stream_closed = true;
            return false;
          }
          fed = true;
          break;
        case StepKind::repeat: {
          int64_t count = depth == 0 ? std::min(w.count, s.limit) : s.limit;
          for (int64_t i = 0; i < count; ++i) {
            w.iteration[depth] = (depth == 0 ? w.first : 0) + i;
            if (!steps(w, s.body, depth + 1)) return false;
            if (depth > 0) continue;
            ++w.result.steps_done;
            if (w.state->stop_port >= 0 && *output(static_cast<int>(w.state - states_.data()),
                                                   w.state->stop_port, w.iteration[0]) == std::byte{0})
              return false;
          }
          break;
        }
        case StepKind::collective:
        case StepKind::send:
        case StepKind::recv:
        case StepKind::start:
        case StepKind::wait:
          throw user_error(
              fmt::format("the ref target does not run '{}' steps: this program belongs to several ranks",
                          field_text(s.kind)));
      }
    }
    if (fed && !w.stop_at_non_finite) w.state->source->release(w.iteration[depth - 1]);
    return true;
  }

  /// The interpreter keeps every value in double: its own needs, not the cpu target's plan.
  void report_memory() {
    for (const auto& v : variables_) memory_.variable_bytes += v.size() * 8;
    for (const auto& t : tables_) memory_.table_bytes += t.size() * 8;
    for (const auto& s : states_) {
      for (const auto& o : s.outputs) memory_.output_bytes += static_cast<int64_t>(o.size());
      for (const auto& v : s.values) memory_.arena_bytes += static_cast<int64_t>(v.size()) * v[0].size() * 8;
    }
    memory_.peak_live_bytes = memory_.arena_bytes;
    memory_.peak_op = "all values live at once";
  }

  Bundle bundle_;
  InterpretOptions options_;
  std::vector<Tensor> variables_, tables_;
  std::vector<State> states_;
  MemoryPlan memory_;
};

}  // namespace

std::unique_ptr<Executable> lower(Bundle bundle, const TargetOptions& options) {
  return std::make_unique<RefExecutable>(std::move(bundle), options);
}

}  // namespace lockstep::ref
