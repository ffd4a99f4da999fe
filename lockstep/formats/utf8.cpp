#include "lockstep/formats/utf8.h"

#include <cstdint>

namespace lockstep {
namespace {

/// Length of the sequence that `lead` opens and the bounds of its second byte; 0 for a byte that opens none.
size_t sequence_length(uint8_t lead, uint8_t* low, uint8_t* high) {
  *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  *high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

}  // namespace

size_t first_bad_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    uint8_t low, high;
    size_t length = sequence_length(static_cast<uint8_t>(text[i]), &low, &high);
    if (length == 0 || length > text.size() - i) return i;
    for (size_t k = 1; k < length; ++k, low = 0x80, high = 0xbf) {
      auto byte = static_cast<uint8_t>(text[i + k]);
      if (byte < low || byte > high) return i;
    }
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace lockstep
