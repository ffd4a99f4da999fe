// The steps of a program. A program is a list of them; nothing in it knows a device or an address.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/ir/graph.h"

namespace lockstep {

enum class StepKind { run, copy, collective, send, recv, start, wait, feed, fetch, repeat };
inline std::vector<std::string_view> names_of(StepKind) {
  return {"run", "copy", "collective", "send", "recv", "start", "wait", "feed", "fetch", "repeat"};
}

/// What an operand names: a value of the program (%), a variable ($) or table (&) of the bundle, a stream (!)
/// or output (^) of the program.
enum class OperandKind { value, variable, table, stream, output };

/// Which copy of a slotted operand: (iteration of loop `loop` + offset) mod slots. loop -1: not indexed.
struct SlotIndex {
  int loop = -1;  ///< 0 is the outermost Repeat
  int64_t offset = 0;
  int64_t modulo = 1;
  bool operator==(const SlotIndex&) const = default;
};

struct Operand {
  OperandKind kind = OperandKind::value;
  int id = -1;
  SlotIndex index;
  bool operator==(const Operand&) const = default;
  /// Same storage whatever the slot.
  bool same_thing(const Operand& o) const { return kind == o.kind && id == o.id; }
};
using Operands = std::vector<Operand>;

enum class CollectiveKind { all_reduce, reduce_scatter, all_gather, broadcast };
inline std::vector<std::string_view> names_of(CollectiveKind) {
  return {"all_reduce", "reduce_scatter", "all_gather", "broadcast"};
}
/// canonical: summed in the order fixed by the lanes, so that bits do not depend on the algorithm; any: the
/// target's.
enum class SumOrder { canonical, any };
inline std::vector<std::string_view> names_of(SumOrder) { return {"canonical", "any"}; }

/// Attributes of the steps that speak to other ranks; which fields count is said by the kind.
struct Exchange {
  CollectiveKind collective = CollectiveKind::all_reduce;
  SumOrder order = SumOrder::canonical;
  std::string group = "all";  ///< named set of ranks
  int64_t peer = 0;           ///< send: to; recv: from
  int64_t tag = 0;
  static constexpr auto attrs =
      fields(field("collective", &Exchange::collective), field("order", &Exchange::order),
             field("group", &Exchange::group), field("peer", &Exchange::peer), field("tag", &Exchange::tag));
};

/// One step with its declared reads and writes.
///   run         writes = op(reads)
///   copy        writes[0] = reads[0]
///   collective  writes[0] = collective over the group of reads[0]
///   send/recv   reads[0] to / writes[0] from `exchange.peer`, matched by tag
///   start       begins body[0] (a collective, send or recv) and goes on; wait ends it: both carry `handle`
///   feed        from here on in this iteration the slot reads[0] of a stream holds the host's bytes
///   fetch       writes[0], a slot of an output, = reads[0]
///   repeat      body, at most `limit` times: how often is said at the call; iterations count from the call's
///   first
struct Step {
  StepKind kind = StepKind::run;
  Operands reads, writes;
  const OpRow* op = nullptr;
  std::shared_ptr<const void> attrs;
  Exchange exchange;
  int64_t handle = -1;
  int64_t limit = 0;
  std::vector<Step> body;

  std::string name;  ///< layer
  Phase phase = Phase::forward;
  int group = -1;
  int stage = 0;
  bool recompute = false;
};

}  // namespace lockstep
