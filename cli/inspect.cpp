#include "cli/inspect.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep::cli {

int64_t parameters_of(const Graph& graph) {
  int64_t count = 0;
  for (const auto& source : graph.sources())
    if (source.kind == SourceKind::variable && source.variable.trainable)
      count += graph.type(source.value).elements();
  return count;
}

int64_t parameters_of(const Bundle& bundle) {
  int64_t count = 0;
  for (const auto& variable : bundle.variables)
    if (variable.info.trainable) count += variable.type.elements();
  return count;
}

DataFacts published_facts(const NamedModel& model) {
  return {.train_size = 60000, .test_size = 10000, .image = model.image, .classes = model.classes};
}

std::unique_ptr<Executable> lower(const Settings& settings, Bundle bundle) {
  const auto& target = settings.target;
  return target_named(target.name)
      .lower(std::move(bundle),
             {static_cast<int>(target.threads), target.in_double, target.force, target.avoid});
}

int64_t planned_bytes(const MemoryPlan& plan, int64_t host_bytes) {
  return plan.arena_bytes + plan.variable_bytes + plan.table_bytes + plan.output_bytes + plan.code_bytes +
         host_bytes;
}

std::string grouped(int64_t number) {
  auto digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "?";
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace lockstep::cli
