#include "lockstep/passes/elide_copies.h"

#include <algorithm>
#include <map>

namespace lockstep {
namespace {

bool reads(const Step& s, const Operand& o) {
  return std::any_of(s.reads.begin(), s.reads.end(), [&](const Operand& r) { return r.same_thing(o); });
}

/// How often `o` is read and written by the steps; `inside`: by those in bodies, too.
size_t mentions(const std::vector<Step>& steps, const Operand& o, bool inside) {
  size_t count = 0;
  for (const auto& s : steps) {
    for (const auto* list : {&s.reads, &s.writes})
      count += std::count_if(list->begin(), list->end(), [&](const Operand& x) { return x.same_thing(o); });
    if (inside) count += mentions(s.body, o, true);
  }
  return count;
}

/// The step that makes `value` in this list, or -1 when it is not made here exactly once.
int maker_of(const std::vector<Step>& steps, const Operand& value) {
  int maker = -1;
  for (size_t i = 0; i < steps.size(); ++i)
    for (const auto& w : steps[i].writes)
      if (w.same_thing(value)) {
        if (maker >= 0) return -1;
        maker = static_cast<int>(i);
      }
  return maker;
}

bool can_write_directly(const std::vector<Step>& steps, int maker, size_t copy, const Operand& variable) {
  const auto& m = steps[maker];
  if (m.kind != StepKind::run) return false;
  if (reads(m, variable) && !m.op->info.elementwise) return false;
  // A group runs as one: members behind the maker, and the maker's own group before it, must not need the old
  // value.
  for (size_t i = maker + 1; i < copy; ++i) {
    // A wait ends a move that began before the maker and may still read the variable.
    if (reads(steps[i], variable) || !steps[i].body.empty() || steps[i].kind == StepKind::wait) return false;
    for (const auto& w : steps[i].writes)
      if (w.same_thing(variable)) return false;
  }
  for (size_t i = copy + 1; i < steps.size(); ++i)
    for (const auto& w : steps[i].writes)
      if (w.same_thing(variable)) return false;
  return m.group < 0;
}

/// One copy of a value, not a slot that another iteration may have filled.
bool is_candidate(const Step& s) {
  return s.kind == StepKind::copy && s.writes[0].kind == OperandKind::variable &&
         s.reads[0].kind == OperandKind::value && s.reads[0].index.loop < 0;
}

/// `all` are the program's steps, `steps` one list among them.
bool elide_in(std::vector<Step>& steps, const std::vector<Step>& all) {
  bool changed = false;
  for (size_t c = 0; c < steps.size();) {
    if (steps[c].kind == StepKind::repeat) changed = elide_in(steps[c].body, all) || changed;
    bool candidate = is_candidate(steps[c]) &&
                     mentions(all, steps[c].reads[0], true) == mentions(steps, steps[c].reads[0], false);
    int maker = candidate ? maker_of(steps, steps[c].reads[0]) : -1;
    if (maker < 0 || static_cast<size_t>(maker) >= c ||
        !can_write_directly(steps, maker, c, steps[c].writes[0])) {
      ++c;
      continue;
    }
    Operand value = steps[c].reads[0], variable = steps[c].writes[0];
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(c));
    for (auto& s : steps) {
      for (auto& r : s.reads)
        if (r.same_thing(value)) r = variable;
      for (auto& w : s.writes)
        if (w.same_thing(value)) w = variable;
    }
    changed = true;
  }
  return changed;
}

/// Values nobody writes any more leave the program; the rest are numbered anew in order of first writing.
void renumber(Program& program) {
  std::map<int, int> number;
  std::vector<ValueDecl> values;
  for_each_step(program.steps, [&](const Step& s, int) {
    for (const auto& w : s.writes)
      if (w.kind == OperandKind::value && number.emplace(w.id, static_cast<int>(values.size())).second)
        values.push_back(program.values[w.id]);
  });
  for_each_step(program.steps, [&](Step& s, int) {
    for (auto* list : {&s.reads, &s.writes})
      for (auto& o : *list)
        if (o.kind == OperandKind::value) o.id = number.at(o.id);
  });
  program.values = std::move(values);
}

}  // namespace

bool elide_copies(Bundle& bundle) {
  bool changed = false;
  for (auto& program : bundle.programs) {
    if (!elide_in(program.steps, program.steps)) continue;
    renumber(program);
    changed = true;
  }
  return changed;
}

}  // namespace lockstep
