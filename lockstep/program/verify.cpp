#include "lockstep/program/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace lockstep {
namespace {

class ProgramChecker {
 public:
  ProgramChecker(const Bundle& bundle, const Program& program)
      : bundle_(bundle), program_(program), written_(program.values.size(), false) {}

  void check() {
    for_each_step(program_.steps, [&](const Step& s, int) { mark_stashes(s); });
    steps(program_.steps, 0);
    if (!open_.empty())
      fail(*open_.begin()->second, fmt::format("start {} is never waited for", open_.begin()->first));
  }

 private:
  std::string place(const Step& step) const {
    auto what = step.kind == StepKind::run ? std::string(step.op->info.name) : field_text(step.kind);
    return fmt::format("program '{}', step {} ({}{})", program_.name, at_, what,
                       step.name.empty() ? "" : ", layer " + step.name);
  }
  [[noreturn]] void fail(const Step& step, std::string rule) const {
    throw user_error(std::move(rule)).at(place(step));
  }

  /// Slotted values may be read in an earlier iteration's copy: written anywhere in the program is enough.
  void mark_stashes(const Step& s) {
    for (const auto& w : s.writes)
      if (w.kind == OperandKind::value && in_range(w) && program_.values[w.id].slots > 1)
        written_[w.id] = true;
  }

  bool in_range(const Operand& o) const {
    size_t size = 0;
    switch (o.kind) {
      case OperandKind::value:
        size = program_.values.size();
        break;
      case OperandKind::variable:
        size = bundle_.variables.size();
        break;
      case OperandKind::table:
        size = bundle_.tables.size();
        break;
      case OperandKind::stream:
        size = program_.streams.size();
        break;
      case OperandKind::output:
        size = program_.outputs.size();
        break;
    }
    return o.id >= 0 && o.id < static_cast<int>(size);
  }

  int64_t slots(const Operand& o) const {
    switch (o.kind) {
      case OperandKind::value:
        return program_.values[o.id].slots;
      case OperandKind::stream:
        return program_.streams[o.id].slots;
      case OperandKind::output:
        return program_.outputs[o.id].slots;
      case OperandKind::variable:
      case OperandKind::table:
        break;
    }
    return 1;
  }

  void operand(const Step& s, const Operand& o, int depth) const {
    if (!in_range(o)) fail(s, "operand names nothing that was declared");
    if (o.index.loop >= depth) fail(s, "operand is indexed by a loop that does not enclose it");
    if (o.index.loop >= 0 && o.index.modulo != slots(o))
      fail(s, fmt::format("index runs modulo {} over {} slots", o.index.modulo, slots(o)));
    if (o.index.loop < 0 && slots(o) != 1) fail(s, "a slotted operand needs an index");
  }

  void read(const Step& s, const Operand& o, int depth) {
    operand(s, o, depth);
    if (o.kind == OperandKind::output) fail(s, "an output is read");
    if (o.kind == OperandKind::value && !written_[o.id])
      fail(s, fmt::format("reads %{} which nobody wrote before", o.id));
    if (o.kind == OperandKind::stream && s.kind != StepKind::feed && !std::count(fed_.begin(), fed_.end(), o))
      fail(s, fmt::format("reads stream '{}' before its feed", program_.streams[o.id].name));
    for (const auto& [handle, started] : open_)
      for (const auto& w : started->body[0].writes)
        if (w == o) fail(s, fmt::format("reads what start {} is still writing", handle));
  }

  void write(const Step& s, const Operand& o, int depth) {
    operand(s, o, depth);
    if (o.kind == OperandKind::table || o.kind == OperandKind::stream) fail(s, "writes a table or a stream");
    if ((o.kind == OperandKind::output) != (s.kind == StepKind::fetch))
      fail(s, "outputs are written by fetch and by nothing else");
    for (const auto& [handle, started] : open_) {
      const auto& b = started->body[0];
      for (const auto* list : {&b.writes, &b.reads})
        for (const auto& x : *list)
          if (x == o) fail(s, fmt::format("writes what start {} is still moving", handle));
    }
    if (o.kind == OperandKind::value) written_[o.id] = true;
  }

  /// Nothing is written twice, and over its own input only by an op that reads element i before it writes it.
  void overlaps(const Step& s) const {
    for (const auto& w : s.writes) {
      if (std::count(s.writes.begin(), s.writes.end(), w) > 1) fail(s, "writes two results into one place");
      if (s.kind == StepKind::run && !s.op->info.elementwise &&
          std::count(s.reads.begin(), s.reads.end(), w) > 0)
        fail(s, "writes over an operand that it still reads");
    }
  }

  void types(const Step& s) const {
    auto type = [&](const Operand& o) { return bundle_.type_of(program_, o); };
    if (s.kind == StepKind::run) {
      Types in, out;
      for (const auto& o : s.reads) in.push_back(type(o));
      for (const auto& o : s.writes) out.push_back(type(o));
      Types inferred;
      try {
        check_arity(s.op->info, in.size());
        inferred = s.op->infer(s.attrs.get(), in);
      } catch (Error& e) {
        throw e.at(place(s));
      }
      if (inferred != out) fail(s, "types of the written operands are not what the op gives");
    } else if (s.kind == StepKind::copy || s.kind == StepKind::fetch) {
      if (type(s.reads[0]) != type(s.writes[0]))
        fail(s, fmt::format("moves {} into {}", type_text(type(s.reads[0])), type_text(type(s.writes[0]))));
    } else if (s.kind == StepKind::collective && s.exchange.collective == CollectiveKind::all_reduce) {
      if (type(s.reads[0]) != type(s.writes[0])) fail(s, "all_reduce changes the type");
    }
  }

  void arity(const Step& s) const {
    auto need = [&](size_t reads, size_t writes) {
      if (s.reads.size() != reads || s.writes.size() != writes) fail(s, "wrong number of operands");
    };
    switch (s.kind) {
      case StepKind::copy:
      case StepKind::fetch:
      case StepKind::collective:
        return need(1, 1);
      case StepKind::send:
      case StepKind::feed:
        return need(1, 0);
      case StepKind::recv:
        return need(0, 1);
      case StepKind::start: {
        auto kind = s.body.size() == 1 ? s.body[0].kind : StepKind::run;
        if (kind != StepKind::collective && kind != StepKind::send && kind != StepKind::recv)
          fail(s, "only a collective, send or recv can be started");
        return;
      }
      case StepKind::run:
      case StepKind::wait:
      case StepKind::repeat:
        return;
    }
  }

  void steps(const std::vector<Step>& list, int depth) {
    for (const auto& s : list) {
      ++at_;
      arity(s);
      if (s.kind == StepKind::repeat) {
        if (s.limit < 1) fail(s, "a repeat needs a limit of at least 1");
        size_t fed = fed_.size();
        auto under_way = open_;
        steps(s.body, depth + 1);
        fed_.resize(fed);
        if (open_ != under_way) fail(s, "a repeat must wait for what it starts and for nothing else");
        continue;
      }
      if (s.kind == StepKind::wait) {
        if (open_.erase(s.handle) == 0) fail(s, fmt::format("waits for {} which is not under way", s.handle));
        continue;
      }
      const Step& inner = s.kind == StepKind::start ? s.body[0] : s;
      if (s.kind == StepKind::start && open_.contains(s.handle))
        fail(s, fmt::format("start {} is already under way", s.handle));
      if (&inner != &s) arity(inner);
      for (const auto& o : inner.reads) read(inner, o, depth);
      if (s.kind == StepKind::feed) {
        if (inner.reads[0].kind != OperandKind::stream) fail(s, "feeds something that is not a stream");
        fed_.push_back(inner.reads[0]);
      }
      for (const auto& o : inner.writes) write(inner, o, depth);
      overlaps(inner);
      types(inner);
      if (s.kind == StepKind::start) open_[s.handle] = &s;
    }
  }

  const Bundle& bundle_;
  const Program& program_;
  std::vector<bool> written_;
  Operands fed_;
  std::map<int64_t, const Step*> open_;
  int at_ = -1;
};

/// One event of a rank as other ranks see it.
struct Event {
  const Step* step;
  Type type;
  Shape limits;  ///< of the repeats around it
};

void append_events(const std::vector<Step>& steps, const Program& program, const Bundle& bundle,
                   const Shape& limits, std::vector<Event>* events) {
  for (const auto& s : steps) {
    if (s.kind == StepKind::collective || s.kind == StepKind::recv)
      events->push_back({&s, bundle.type_of(program, s.writes[0]), limits});
    if (s.kind == StepKind::send) events->push_back({&s, bundle.type_of(program, s.reads[0]), limits});
    Shape inside = limits;
    if (s.kind == StepKind::repeat) inside.push_back(s.limit);
    append_events(s.body, program, bundle, inside, events);
  }
}

[[noreturn]] void rank_fault(size_t rank, const Event& e, std::string text) {
  auto error =
      user_error(std::move(text))
          .at(fmt::format("rank {}, {}{}", rank, field_text(e.step->kind), record_text(e.step->exchange)));
  error.rank = static_cast<int>(rank);
  throw error;
}

}  // namespace

void verify(const Bundle& bundle) {
  // Whoever adds up sizes may do so in 64 bits.
  __int128 bytes = 0;
  auto declared = [&](const Type& type, int64_t slots) {
    bytes += static_cast<__int128>(type.bytes()) * slots;
  };
  for (const auto& v : bundle.variables) declared(v.type, 1);
  for (const auto& p : bundle.programs) {
    for (const auto* ports : {&p.streams, &p.outputs})
      for (const auto& port : *ports) declared(port.type, port.slots);
    for (const auto& v : p.values) declared(v.type, v.slots);
  }
  if (bytes >= static_cast<__int128>(1) << 62)
    throw user_error(fmt::format("the values of bundle '{}' are too large", bundle.name));
  for (const auto& p : bundle.programs) ProgramChecker(bundle, p).check();
}

void verify_ranks(const std::vector<const Program*>& programs, const Bundle& bundle) {
  size_t ranks = programs.size();
  std::vector<std::vector<Event>> events;
  for (const auto* p : programs) append_events(p->steps, *p, bundle, {}, &events.emplace_back());
  std::vector<size_t> next(ranks, 0);
  auto done = [&](size_t r) { return next[r] == events[r].size(); };
  // Every rank moves in lockstep with whom it meets: a send with its recv, a collective with everybody.
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t r = 0; r < ranks; ++r) {
      if (done(r)) continue;
      const auto& e = events[r][next[r]];
      if (e.step->kind == StepKind::send) {
        auto peer = static_cast<size_t>(e.step->exchange.peer);
        if (peer >= ranks) rank_fault(r, e, "sends to a rank that does not exist");
        if (done(peer)) rank_fault(r, e, fmt::format("rank {} never receives this", peer));
        const auto& other = events[peer][next[peer]];
        if (other.step->kind != StepKind::recv || other.step->exchange.peer != static_cast<int64_t>(r))
          continue;
        if (other.step->exchange.tag != e.step->exchange.tag)
          rank_fault(r, e, fmt::format("rank {} receives tag {} here", peer, other.step->exchange.tag));
        if (other.limits != e.limits)
          rank_fault(r, e, fmt::format("rank {} receives this in other repeats", peer));
        if (other.type != e.type)
          rank_fault(r, e,
                     fmt::format("rank {} receives {} here, not {}", peer, type_text(other.type),
                                 type_text(e.type)));
        ++next[r], ++next[peer];
        moved = true;
      }
    }
    bool all_collective = ranks > 0;
    for (size_t r = 0; r < ranks; ++r)
      all_collective = all_collective && !done(r) && events[r][next[r]].step->kind == StepKind::collective;
    if (!all_collective) continue;
    const auto& first = events[0][next[0]];
    for (size_t r = 1; r < ranks; ++r) {
      const auto& e = events[r][next[r]];
      if (record_text(e.step->exchange) != record_text(first.step->exchange) || e.type != first.type)
        rank_fault(r, e,
                   fmt::format("rank 0 issues collective{} on {} here", record_text(first.step->exchange),
                               type_text(first.type)));
      if (e.limits != first.limits) rank_fault(r, e, "rank 0 issues this in other repeats");
    }
    for (auto& n : next) ++n;
    moved = true;
  }
  for (size_t r = 0; r < ranks; ++r)
    if (!done(r))
      rank_fault(r, events[r][next[r]], "no other rank meets this step: the ranks would wait forever");
}

}  // namespace lockstep
