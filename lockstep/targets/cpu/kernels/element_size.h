// One instance of a template per size of element, for kernels that move elements whatever their type.
#pragma once

#include <cstdint>

#include "lockstep/base/dtype.h"

namespace lockstep::cpu {

/// Calls visit(T{}) with the unsigned integer T of the size of `dtype`.
template <class Visit>
void with_element_size(DType dtype, Visit visit) {
  switch (bytes_of(dtype)) {
    case 1:
      return visit(uint8_t{});
    case 2:
      return visit(uint16_t{});
    case 4:
      return visit(uint32_t{});
    default:
      return visit(uint64_t{});
  }
}

}  // namespace lockstep::cpu
