// A lowered bundle on this machine's CPU: memory laid out, kernels chosen, a flat array of calls per program.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/base/threads.h"
#include "lockstep/targets/cpu/arena.h"
#include "lockstep/targets/cpu/call.h"
#include "lockstep/targets/cpu/kernel.h"
#include "lockstep/targets/target.h"

namespace lockstep::cpu {

/// Zeroed memory of exactly `bytes`, aligned to a page.
class Block {
 public:
  explicit Block(int64_t bytes = 0);
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  std::byte* data() const { return data_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

enum class EntryKind { call, loop_begin, loop_end, feed, release };

/// One entry of the flat program that all members of the team walk together.
struct Entry {
  EntryKind kind = EntryKind::call;
  Call call;
  bool barrier = true;  ///< false: the next entry too is a one-part call, member 0 goes on alone
  int loop = 0;         ///< loops: depth
  int64_t limit = 0;    ///< loop_begin of an inner loop: iterations
  int jump = 0;         ///< loop_begin: its loop_end; loop_end: its loop_begin
  int group = -1;       ///< index into ProgramCode::groups
};

/// What one kernel does in a program.
struct LoweredGroup {
  std::vector<const Step*> steps;
  const Kernel* kernel = nullptr;
  std::vector<std::pair<std::string, std::string>> refused;
  int first_entry = 0, last_entry = 0;
  /// Floating point results that are in memory, for find_non_finite.
  struct Result {
    Ref ref;
    int64_t elements;
    const Step* step;
  };
  std::vector<Result> results;
};

struct ProgramCode {
  const Program* program = nullptr;
  std::vector<Layout> layouts;
  std::vector<Cell> cells;
  std::vector<Operand>
      cell_operand;  ///< streams and outputs are resolved by operand; others have kind value and id -1
  std::vector<Entry> entries;
  std::vector<LoweredGroup> groups;
  std::vector<ArenaBuffer> buffers;
  ArenaPlan arena;
  std::vector<int64_t> output_offsets;  ///< by output, into the outputs block
  StreamSource* source = nullptr;
  int stop_port = -1;
};

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(Bundle bundle, const TargetOptions& options);
  ~CpuExecutable() override;

  const Bundle& bundle() const override { return bundle_; }
  const MemoryPlan& memory() const override { return memory_; }
  std::vector<Choice> choices() const override;
  std::string plan_text() const override;
  void read_variable(int variable, void* bytes) const override;
  void write_variable(int variable, const void* bytes) override;
  void connect(int program, StreamSource* source) override;
  RunResult run(int program, int64_t first, int64_t count) noexcept override;
  const std::byte* output(int program, int port, int64_t iteration) const override;
  void stop_on(int program, int port) override;
  std::string find_non_finite(int program, int64_t iteration) override;

 private:
  struct Invocation;
  void lay_out();
  void bind(ProgramCode& code);
  void report_memory();
  void walk(Invocation& call, int member) noexcept;
  void run_parts(Invocation& call, int member, size_t entry, const Frame& frame) noexcept;

  Bundle bundle_;
  TargetOptions options_;
  Team team_;
  std::vector<ProgramCode> codes_;
  std::vector<int64_t> variable_offsets_, table_offsets_;
  Block arena_, variables_, tables_, outputs_;
  std::vector<std::shared_ptr<void>> kept_;
  std::vector<std::vector<std::function<void(const Cell*)>>> bound_actions_;
  MemoryPlan memory_;
  int64_t counted_bytes_ = 0;
  /// Tickets hand out the parts of a call; they only grow, so nothing has to be reset: execution e of a call
  /// with P parts on M members uses the tickets e * (P + M) ... e * (P + M) + P - 1.
  struct alignas(64) Tickets {
    std::atomic<int64_t> next{0};
  };
  std::vector<std::unique_ptr<Tickets[]>> tickets_;            // by program, by entry
  std::vector<std::vector<std::vector<int64_t>>> executions_;  // by program, by member, by entry
  FaultBox fault_;

  friend class Lowering;
};

}  // namespace lockstep::cpu
