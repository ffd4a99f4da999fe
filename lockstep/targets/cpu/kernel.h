// A kernel for an op or a fusion group: one record, one file, one line in kernels/all.cpp.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/program/bundle.h"
#include "lockstep/targets/cpu/call.h"
#include "lockstep/targets/cpu/layout.h"

namespace lockstep::cpu {

/// The steps a kernel is asked to do: one run, or all runs of a group, in order.
class GroupView {
 public:
  GroupView(const Bundle& bundle, const Program& program, const std::vector<Layout>& layouts,
            std::span<const Step* const> steps, const std::vector<int>& reads_outside)
      : bundle_(bundle), program_(program), layouts_(layouts), steps_(steps), reads_outside_(reads_outside) {}

  size_t size() const { return steps_.size(); }
  const Step& step(size_t i = 0) const { return *steps_[i]; }
  Type type(const Operand& o) const { return bundle_.type_of(program_, o); }
  Layout layout(const Operand& o) const {
    return o.kind == OperandKind::value ? layouts_[o.id] : Layout::plain;
  }
  /// A value made in the group that somebody outside reads; others need no memory.
  bool is_needed_outside(const Operand& o) const {
    return o.kind != OperandKind::value || reads_outside_[o.id] > 0;
  }
  /// The op's attributes as their record.
  template <class Op>
  const Op& attrs(size_t i = 0) const {
    return *static_cast<const Op*>(steps_[i]->attrs.get());
  }
  Types read_types(size_t i = 0) const;
  Types write_types(size_t i = 0) const;

 private:
  const Bundle& bundle_;
  const Program& program_;
  const std::vector<Layout>& layouts_;
  std::span<const Step* const> steps_;
  const std::vector<int>& reads_outside_;
};

/// Takes what a kernel emits. Calls run one after another, all parts of one before the next begins.
class CallSink {
 public:
  virtual ~CallSink() = default;
  virtual Ref ref(const Operand& operand) = 0;
  /// Memory of the arena for the calls of this kernel only.
  virtual Ref scratch(int64_t bytes) = 0;
  virtual void call(CallFunction function, const void* args, int64_t parts) = 0;
  /// Keeps an object alive as long as the executable.
  virtual void keep(std::shared_ptr<void> object) = 0;
  /// Runs once all cells are resolved (to build library objects on addresses); `cells` stay where they are.
  virtual void on_bound(std::function<void(const Cell* cells)> action) = 0;
  virtual int threads() const = 0;  ///< for per-thread library objects; never for cutting work
  /// Bytes a kernel holds outside the arena (packed constants, library code), for the memory report.
  virtual void count_bytes(int64_t bytes) = 0;

  /// Emits a call on a copy of `args`; `function(args, frame, part)` is a noexcept function of the record's
  /// type.
  template <auto function, class Args>
  void emit(Args args, int64_t parts) {
    auto kept = std::make_shared<Args>(std::move(args));
    keep(kept);
    call([](const void* a, const Frame& f,
            int64_t part) noexcept { function(*static_cast<const Args*>(a), f, part); },
         kept.get(), parts);
  }
};

/// Yes, or no with a reason that a user can read.
struct Fit {
  bool fits = true;
  std::string reason;
};
inline Fit no(std::string reason) { return {false, std::move(reason)}; }
inline Fit yes() { return {}; }

struct Kernel {
  std::string_view name;
  std::vector<std::string_view> ops;  ///< one op, or the chain of a group; {"*"}: any single op
  Fit (*fits)(const GroupView&);
  void (*lower)(const GroupView&, CallSink&);
};

/// All kernels, best first for each op; the eval wrapper is last.
const std::vector<Kernel>& all_kernels();

/// Cuts `size` items into parts of at least `grain` items, at most 64 parts: a function of the shape alone.
struct Cut {
  int64_t size = 0, parts = 1, per_part = 0;
  Cut() = default;
  Cut(int64_t items, int64_t grain);
  int64_t begin(int64_t part) const { return std::min(part * per_part, size); }
  int64_t end(int64_t part) const { return std::min((part + 1) * per_part, size); }
};

}  // namespace lockstep::cpu
