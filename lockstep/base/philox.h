// Counter-based random numbers: a draw is a function of its coordinates, so nothing has to be saved, and
// neither threads nor ranks nor recompute can change it. Philox4x32-10 (Salmon et al., SC'11) by Random123.
#pragma once

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace lockstep {

/// 128 random bits at (seed; a, b): seed is the key, a and b the counter.
inline std::array<uint32_t, 4> philox(uint64_t seed, uint64_t a, uint64_t b) {
  r123::Philox4x32 generator;
  r123::Philox4x32::ctr_type counter = {{static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32),
                                         static_cast<uint32_t>(b), static_cast<uint32_t>(b >> 32)}};
  r123::Philox4x32::key_type key = {{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}};
  auto r = generator(counter, key);
  return {r[0], r[1], r[2], r[3]};
}

/// A new key out of a key and a word: how coordinates beyond two are folded in.
inline uint64_t philox_fold(uint64_t seed, uint64_t word) {
  auto r = philox(seed, word, 0x6c6f636b73746570u);  // the second word separates folding from drawing
  return static_cast<uint64_t>(r[1]) << 32 | r[0];
}

/// Uniform in [0, 1), 24 bits: exact in float.
inline float uniform24(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }
/// Uniform in (0, 1), 32 bits, never 0: safe for log.
inline double uniform_open(uint32_t bits) { return (static_cast<double>(bits) + 0.5) * 0x1p-32; }
/// Standard normal by Box-Muller from two words.
inline double normal_of(uint32_t u, uint32_t v) {
  return std::sqrt(-2.0 * std::log(uniform_open(u))) * std::cos(6.283185307179586 * uniform_open(v));
}

}  // namespace lockstep
