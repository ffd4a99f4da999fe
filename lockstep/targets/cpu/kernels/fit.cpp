#include "lockstep/targets/cpu/kernels/fit.h"

#include <algorithm>

namespace lockstep::cpu {
namespace {

template <class Holds>
bool all_operands(const GroupView& g, Holds holds) {
  const Step& s = g.step();
  return std::all_of(s.reads.begin(), s.reads.end(), holds) &&
         std::all_of(s.writes.begin(), s.writes.end(), holds);
}

}  // namespace

Layout order_in_memory(const GroupView& g, const Operand& o) {
  Type type = g.type(o);
  bool same = type.shape.size() != 4 || type.shape[2] * type.shape[3] <= 1;
  return same ? Layout::plain : g.layout(o);
}

bool is_plain(const GroupView& g, const Operand& o) { return order_in_memory(g, o) == Layout::plain; }

bool all_f32(const GroupView& g) {
  return all_operands(g, [&](const Operand& o) { return g.type(o).dtype == DType::f32; });
}

bool all_plain(const GroupView& g) {
  return all_operands(g, [&](const Operand& o) { return is_plain(g, o); });
}

bool in_one_order(const GroupView& g) {
  const Operand& y = g.step().writes[0];
  Type type = g.type(y);
  Layout order = order_in_memory(g, y);
  return all_operands(
      g, [&](const Operand& o) { return g.type(o).shape != type.shape || order_in_memory(g, o) == order; });
}

Fit fits_plain_f32(const GroupView& g) {
  if (!all_f32(g)) return no("not f32");
  if (!all_plain(g)) return no("a blocked operand");
  return yes();
}

Fit fits_elementwise_f32(const GroupView& g) {
  if (!all_f32(g)) return no("not f32");
  if (!in_one_order(g)) return no("operands of two layouts");
  return yes();
}

}  // namespace lockstep::cpu
