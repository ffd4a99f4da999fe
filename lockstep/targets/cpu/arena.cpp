#include "lockstep/targets/cpu/arena.h"

#include <algorithm>
#include <numeric>

#include "lockstep/base/error.h"

namespace lockstep::cpu {
namespace {

constexpr int64_t alignment = 64;
int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

bool live_together(const ArenaBuffer& a, const ArenaBuffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

void check_no_overlap(const std::vector<ArenaBuffer>& buffers) {
  std::vector<const ArenaBuffer*> by_offset;
  for (const auto& b : buffers)
    if (b.bytes > 0) by_offset.push_back(&b);
  std::sort(by_offset.begin(), by_offset.end(),
            [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (size_t i = 0; i < by_offset.size(); ++i)
    for (size_t j = i + 1;
         j < by_offset.size() && by_offset[j]->offset < by_offset[i]->offset + by_offset[i]->bytes; ++j)
      if (live_together(*by_offset[i], *by_offset[j]))
        throw bug("two live buffers overlap in the arena")
            .at(by_offset[i]->name + " and " + by_offset[j]->name);
}

void find_peak(const std::vector<ArenaBuffer>& buffers, ArenaPlan& plan) {
  int calls = 0;
  for (const auto& b : buffers) calls = std::max(calls, b.last + 1);
  std::vector<int64_t> change(calls + 1, 0);
  for (const auto& b : buffers) {
    change[b.first] += aligned(b.bytes);
    change[b.last + 1] -= aligned(b.bytes);
  }
  int64_t live = 0;
  for (int c = 0; c < calls; ++c) {
    live += change[c];
    if (live > plan.peak_live) plan.peak_live = live, plan.peak_call = c;
  }
}

}  // namespace

ArenaPlan plan_arena(std::vector<ArenaBuffer>& buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  ArenaPlan plan;
  std::vector<size_t> placed;  // by offset
  for (size_t i : order) {
    auto& b = buffers[i];
    int64_t at = 0;
    for (size_t p : placed) {
      const auto& other = buffers[p];
      if (!live_together(b, other)) continue;
      if (other.offset >= at + aligned(b.bytes)) break;
      at = std::max(at, aligned(other.offset + other.bytes));
    }
    b.offset = at;
    plan.bytes = std::max(plan.bytes, at + aligned(b.bytes));
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i,
                                   [&](size_t x, size_t y) { return buffers[x].offset < buffers[y].offset; }),
                  i);
  }
  check_no_overlap(buffers);
  find_peak(buffers, plan);
  return plan;
}

}  // namespace lockstep::cpu
