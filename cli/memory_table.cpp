#include "cli/memory_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/inspect.h"
#include "lockstep/base/threads.h"

namespace lockstep::cli {
namespace {

/// What a thread of ours touches of its stack: steps and data threads call a few frames deep.
constexpr int64_t touched_stack_bytes = 64 << 10;

/// RssFile of this process: code and constants that the system has mapped in, 0 where it does not say.
int64_t file_backed_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (int64_t kilobytes = 0; word == "RssFile:" && status >> kilobytes) return kilobytes << 10;
  return 0;
}

int64_t slot_bytes(const PortDecl& stream) { return (stream.type.bytes() + 63) / 64 * 64; }

std::string streams_text(const Program& program) {
  std::vector<std::string> streams;
  for (const auto& s : program.streams) streams.push_back(fmt::format("{} {}", s.name, type_text(s.type)));
  return fmt::format("{} slots of {}", program.streams.empty() ? 0 : program.streams[0].slots,
                     join(streams, ", "));
}

int64_t sum_of(const std::vector<MemoryLine>& lines) {
  int64_t sum = 0;
  for (const auto& line : lines) sum += line.bytes;
  return sum;
}

std::string table_of(const std::vector<MemoryLine>& lines) {
  size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.name.size());
  std::string out = fmt::format("{:{}}  {:>16}\n", "", width, "bytes");
  for (const auto& line : lines)
    out += std::string(trim(fmt::format("{:{}}  {:>16}  {:>10}  {}", line.name, width, grouped(line.bytes),
                                        bytes_text(line.bytes), line.note))) +
           "\n";
  return out;
}

}  // namespace

int64_t ring_bytes(const Program& program) {
  int64_t bytes = 0;
  for (const auto& stream : program.streams) bytes += stream.slots * slot_bytes(stream);
  return bytes;
}

std::vector<MemoryLine> memory_lines(const Executable& executable, const Settings& settings,
                                     int64_t data_bytes) {
  const auto& plan = executable.memory();
  const auto& bundle = executable.bundle();
  std::vector<MemoryLine> lines{
      {"variables", plan.variable_bytes, fmt::format("{} of them", bundle.variables.size())},
      {"arena", plan.arena_bytes,
       plan.peak_op.empty() ? ""
                            : fmt::format("fullest at {}, where {} bytes are live", plan.peak_op,
                                          grouped(plan.peak_live_bytes))},
      {"tables", plan.table_bytes, fmt::format("{} of them", bundle.tables.size())},
      {"outputs", plan.output_bytes, ""}};
  for (const auto& program : bundle.programs)
    lines.push_back({fmt::format("ring of {}", program.name), ring_bytes(program), streams_text(program)});
  lines.push_back({"data sets", data_bytes, "held in memory for the whole run"});
  lines.push_back({"code", plan.code_bytes, "the program's own arrays and what kernels keep"});
  auto threads =
      (settings.target.threads > 0 ? settings.target.threads : usable_threads()) + settings.data.workers;
  lines.push_back({"stacks", threads * touched_stack_bytes,
                   fmt::format("{} threads, as far as they are touched", threads)});
  lines.push_back({"libraries", file_backed_bytes(), "pages of this program and its libraries in use now"});
  return lines;
}

std::string memory_text(const Executable& executable, const Settings& settings, int64_t data_bytes) {
  auto lines = memory_lines(executable, settings, data_bytes);
  lines.push_back({"sum", sum_of(lines), ""});
  auto out = table_of(lines);
  const auto& plan = executable.memory();
  if (!plan.largest.empty())
    out += fmt::format("\nthe largest buffers at {}\n{}", plan.peak_op, table_of(plan.largest));
  return out;
}

nlohmann::ordered_json memory_object(const Executable& executable, const Settings& settings,
                                     int64_t data_bytes) {
  const auto& plan = executable.memory();
  auto objects = [](const std::vector<MemoryLine>& lines) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& line : lines)
      list.push_back({{"name", line.name}, {"bytes", line.bytes}, {"note", line.note}});
    return list;
  };
  auto lines = memory_lines(executable, settings, data_bytes);
  return {{"lines", objects(lines)},
          {"sum_bytes", sum_of(lines)},
          {"peak",
           {{"op", plan.peak_op}, {"live_bytes", plan.peak_live_bytes}, {"largest", objects(plan.largest)}}}};
}

}  // namespace lockstep::cli
