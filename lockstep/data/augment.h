// Random crop and flip, each draw a function of (seed, epoch, index, use).
#pragma once

#include <cstdint>

#include "lockstep/base/fields.h"
#include "lockstep/base/shape.h"

namespace lockstep {

struct Augment {
  int64_t pad = 0;  ///< pixels
  bool flip = false;

  static constexpr auto attrs =
      fields(field("pad", &Augment::pad, "pad by so many black pixels, then crop at random to the old size"),
             field("flip", &Augment::flip, "mirror left and right with probability one half"));

  /// Throws a user error when `pad` is negative or so large that an image could vanish.
  void check(const Shape& chw) const;
};

/// Writes the changed image; `in` and `out`, u8 (C,H,W), must not overlap. The same for equal (seed, epoch,
/// index), whoever asks and when.
void augment_image(const Augment& augment, uint64_t seed, int64_t epoch, int64_t index, const Shape& chw,
                   const uint8_t* in, uint8_t* out);

}  // namespace lockstep
