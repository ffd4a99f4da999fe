// IDX, the format of MNIST and its kin: 00 00, element type, rank, big-endian sizes, elements.
// Source: yann.lecun.com/exdb/mnist, "the IDX file format".
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "lockstep/base/shape.h"

namespace lockstep {

struct IdxArray {
  Shape shape;                 ///< rank 1 to 4
  std::vector<uint8_t> bytes;  ///< row major, one byte an element
  bool gzip = false;           ///< the file was compressed, so offsets are those of the inflated data

  /// Bytes in front of the first element.
  int64_t header_bytes() const { return 4 + 4 * static_cast<int64_t>(shape.size()); }
};

/// Reads a plain or gzip file of unsigned bytes. A header that claims more than the file holds costs no
/// memory. Throws a user error when the file is missing, a data error with the byte offset when it is not
/// whole and sound.
IdxArray read_idx(const std::filesystem::path& path);

}  // namespace lockstep
