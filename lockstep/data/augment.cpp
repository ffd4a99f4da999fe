#include "lockstep/data/augment.h"

#include <algorithm>
#include <cstring>

#include "lockstep/base/philox.h"

namespace lockstep {
namespace {

constexpr uint64_t kAugmentKey =
    0x6175676d656e74u;  // "augment": no other use of the seed draws from this key

enum class Use : uint64_t { crop_y, crop_x, flip };  // append only: a number is part of what a seed means

/// Uniform in [0, bound); the bias of a 32-bit draw, bound / 2^32, is far below what could be seen.
int64_t below(uint32_t bits, int64_t bound) {
  return static_cast<int64_t>(static_cast<uint64_t>(bits) * static_cast<uint64_t>(bound) >> 32);
}

/// One row moved by `shift` pixels to the left, black where nothing is.
void shift_row(const uint8_t* in, uint8_t* out, int64_t width, int64_t shift) {
  int64_t first = std::clamp<int64_t>(-shift, 0, width),
          last = std::clamp<int64_t>(width - shift, first, width);
  std::fill(out, out + first, uint8_t{0});
  std::copy(in + first + shift, in + last + shift, out + first);
  std::fill(out + last, out + width, uint8_t{0});
}

}  // namespace

void Augment::check(const Shape& chw) const {
  int64_t most = std::min(chw.at(1), chw.at(2)) - 1;
  if (pad < 0 || pad > most)
    throw user_error("augmentation: pad is out of range")
        .at("pad")
        .but(std::to_string(pad), "0 to " + std::to_string(most) + " for images of " + shape_text(chw));
}

void augment_image(const Augment& augment, uint64_t seed, int64_t epoch, int64_t index, const Shape& chw,
                   const uint8_t* in, uint8_t* out) {
  const int64_t channels = chw.at(0), height = chw.at(1), width = chw.at(2);
  const int64_t bytes = channels * height * width;
  LS_CHECK(in + bytes <= out || out + bytes <= in, "augmentation in place");
  const uint64_t key = philox_fold(philox_fold(seed, kAugmentKey), static_cast<uint64_t>(epoch));
  auto draw = [&](Use use) {
    return philox(key, static_cast<uint64_t>(index), static_cast<uint64_t>(use))[0];
  };

  const int64_t offsets = 2 * augment.pad + 1;
  const int64_t dy = below(draw(Use::crop_y), offsets) - augment.pad;
  const int64_t dx = below(draw(Use::crop_x), offsets) - augment.pad;
  const bool flip = augment.flip && (draw(Use::flip) >> 31) != 0;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t y = 0; y < height; ++y, out += width) {
      int64_t from = y + dy;
      if (from < 0 || from >= height) {
        std::memset(out, 0, static_cast<size_t>(width));
        continue;
      }
      shift_row(in + (c * height + from) * width, out, width, dx);
      if (flip) std::reverse(out, out + width);
    }
  }
}

}  // namespace lockstep
