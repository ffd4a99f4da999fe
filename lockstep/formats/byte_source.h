// A file's bytes in order, inflated on the way when it is a gzip file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace lockstep {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `to`; returns fewer than `bytes` only at the end. Throws a data error on a corrupt gzip stream;
  /// the checksums at its end have been verified once a read came back short.
  virtual size_t read(uint8_t* to, size_t bytes) = 0;
  virtual bool is_gzip() const = 0;
};

/// Tells gzip by its signature (1f 8b), not by the name. Throws a user error when the file cannot be opened.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

/// "images: byte 16", or "images.gz: byte 16 of the inflated data": where a message points to.
std::string byte_place(const std::filesystem::path& path, int64_t offset, bool is_gzip);

}  // namespace lockstep
