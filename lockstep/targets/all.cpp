// The list of targets.
#include <fmt/format.h>

#include "lockstep/targets/cpu/cpu.h"
#include "lockstep/targets/ref/ref.h"
#include "lockstep/targets/target.h"

namespace lockstep {

const std::vector<TargetInfo>& all_targets() {
  static const std::vector<TargetInfo> list{
      {"cpu", "this machine's processors: compiled, threaded, memory planned", cpu::lower},
      {"ref", "the interpreter: slow and obvious, double precision on request", ref::lower},
  };
  return list;
}

const TargetInfo& target_named(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& t : all_targets()) {
    if (t.name == name) return t;
    names.emplace_back(t.name);
  }
  throw user_error(fmt::format("unknown target '{}'{}", name, did_you_mean(name, names)))
      .but(std::string(name), join(names, ", "));
}

}  // namespace lockstep
