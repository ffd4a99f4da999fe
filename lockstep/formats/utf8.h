// Is text UTF-8?
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep {

/// Offset of the first byte that is not well-formed UTF-8 (Unicode table 3-7: no overlong forms, no
/// surrogates, nothing above U+10FFFF), or npos.
size_t first_bad_utf8(std::string_view text);

}  // namespace lockstep
