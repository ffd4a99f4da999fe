// Exact memory plan: offsets for buffers with known lifetimes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::cpu {

struct ArenaBuffer {
  int64_t bytes = 0;
  int first = 0, last = 0;  ///< calls, both inclusive, between which the contents matter
  std::string name;
  int64_t offset = -1;  ///< set by plan_arena; multiple of 64
};

struct ArenaPlan {
  int64_t bytes = 0;      ///< of the arena
  int peak_call = 0;      ///< call with the most live bytes
  int64_t peak_live = 0;  ///< live bytes there
};

/// Places the buffers, largest first, each at the lowest offset free over its lifetime; then checks that no
/// two live buffers overlap (bug error otherwise).
ArenaPlan plan_arena(std::vector<ArenaBuffer>& buffers);

}  // namespace lockstep::cpu
