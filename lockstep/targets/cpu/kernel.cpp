#include "lockstep/targets/cpu/kernel.h"

#include <algorithm>
#include <cstring>

namespace lockstep::cpu {

void FaultBox::raise(const char* message) noexcept {
  if (raised.exchange(true)) return;
  std::strncpy(text, message, sizeof text - 1);
}

Types GroupView::read_types(size_t i) const {
  Types types;
  for (const auto& o : step(i).reads) types.push_back(type(o));
  return types;
}

Types GroupView::write_types(size_t i) const {
  Types types;
  for (const auto& o : step(i).writes) types.push_back(type(o));
  return types;
}

Cut::Cut(int64_t items, int64_t grain) : size(items) {
  constexpr int64_t most_parts = 64;
  int64_t wanted = std::clamp<int64_t>(grain > 0 ? items / grain : items, 1, most_parts);
  per_part = std::max<int64_t>(1, (items + wanted - 1) / wanted);
  parts = std::max<int64_t>(1, (items + per_part - 1) / per_part);
}

}  // namespace lockstep::cpu
