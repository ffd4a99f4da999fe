#include "lockstep/formats/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lockstep/base/error.h"
#include "lockstep/formats/byte_source.h"

namespace lockstep {
namespace {

constexpr uint8_t kUnsignedByte = 0x08;
constexpr size_t kFirstRead = size_t{1} << 20;

/// The names of what people hand over by mistake.
std::string_view known_format(const std::array<uint8_t, 4>& m) {
  if (m[0] == 0xff && m[1] == 0xd8) return "a JPEG image";
  if (m[0] == 0x89 && m[1] == 'P' && m[2] == 'N' && m[3] == 'G') return "a PNG image";
  if (m[0] == 'P' && m[1] == 'K') return "a zip archive";
  if (m[0] == 'B' && m[1] == 'Z' && m[2] == 'h') return "a bzip2 file";
  if (m[0] == 0xfd && m[1] == '7' && m[2] == 'z') return "an xz file";
  if (m[0] == 0x93 && m[1] == 'N' && m[2] == 'U') return "a NumPy array";
  return "";
}

std::string_view element_name(uint8_t type) {
  switch (type) {
    case 0x09:
      return "signed bytes";
    case 0x0b:
      return "16-bit integers";
    case 0x0c:
      return "32-bit integers";
    case 0x0d:
      return "32-bit floats";
    case 0x0e:
      return "64-bit floats";
    default:
      return "no known element type";
  }
}

class IdxReader {
 public:
  explicit IdxReader(const std::filesystem::path& path) : path_(path), source_(open_bytes(path)) {}

  IdxArray read() {
    IdxArray array;
    array.gzip = source_->is_gzip();
    array.shape = read_shape(read_rank());
    array.bytes = read_elements(array.shape);
    uint8_t extra;
    if (source_->read(&extra, 1) != 0)
      throw fault("bytes after the last element", offset_)
          .but(fmt::format("more than {} bytes", offset_),
               fmt::format("{} bytes for {}", offset_, shape_text(array.shape)));
    return array;
  }

 private:
  Error fault(std::string problem, int64_t offset) const {
    return data_error(std::move(problem)).at(byte_place(path_, offset, source_->is_gzip()));
  }

  int read_rank() {
    std::array<uint8_t, 4> magic{};
    size_t n = source_->read(magic.data(), 4);
    if (n == 0) throw fault("the file is empty", 0).but("0 bytes", "an IDX file");
    if (n < 4)
      throw fault("the IDX header is truncated", static_cast<int64_t>(n))
          .but(fmt::format("{} bytes", n), "at least 8 bytes");
    offset_ = 4;
    if (magic[0] != 0 || magic[1] != 0) throw wrong_magic(magic);
    if (magic[2] != kUnsignedByte)
      throw fault("unsupported IDX element type", 2)
          .but(fmt::format("{:#04x} ({})", magic[2], element_name(magic[2])), "0x08 (unsigned bytes)");
    if (magic[3] < 1 || magic[3] > 4)
      throw fault("unsupported number of IDX dimensions", 3).but(std::to_string(magic[3]), "1 to 4");
    return magic[3];
  }

  Error wrong_magic(const std::array<uint8_t, 4>& m) const {
    auto name = known_format(m);
    return fault(name.empty() ? "not an IDX file" : fmt::format("not an IDX file but {}", name), 0)
        .but(fmt::format("{:02x} {:02x} {:02x} {:02x}", m[0], m[1], m[2], m[3]), "00 00 08 and the rank");
  }

  Shape read_shape(int rank) {
    Shape shape;
    std::array<uint8_t, 4> b{};
    for (int i = 0; i < rank; ++i) {
      size_t n = source_->read(b.data(), 4);
      if (n < 4)
        throw fault("the IDX header is truncated", offset_ + static_cast<int64_t>(n))
            .but(fmt::format("{} bytes", offset_ + static_cast<int64_t>(n)),
                 fmt::format("{} bytes for {} dimensions", 4 + 4 * rank, rank));
      offset_ += 4;
      shape.push_back(int64_t{b[0]} << 24 | int64_t{b[1]} << 16 | int64_t{b[2]} << 8 | int64_t{b[3]});
    }
    return shape;
  }

  /// Grows as data arrives, so memory follows what the file holds, never what its header claims.
  std::vector<uint8_t> read_elements(const Shape& shape) {
    size_t want = count(shape), have = 0;
    std::vector<uint8_t> bytes;
    while (have < want) {
      bytes.resize(std::min(want, std::max(kFirstRead, 2 * have)));
      have += source_->read(bytes.data() + have, bytes.size() - have);
      if (have < bytes.size())
        throw fault("the file ends before its last element", offset_ + static_cast<int64_t>(have))
            .but(fmt::format("{} elements", have), fmt::format("{} elements for {}", want, shape_text(shape)))
            .advise("fetch the file again: it was cut short");
    }
    offset_ += static_cast<int64_t>(want);
    return bytes;
  }

  size_t count(const Shape& shape) const {
    int64_t product = 1;
    for (int64_t size : shape)
      if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product))
        throw fault("the IDX dimensions overflow", 4).but(shape_text(shape), "a product below 2^63");
    return static_cast<size_t>(elements(shape));
  }

  const std::filesystem::path& path_;
  std::unique_ptr<ByteSource> source_;
  int64_t offset_ = 0;  // of the next byte, for messages
};

}  // namespace

IdxArray read_idx(const std::filesystem::path& path) { return IdxReader(path).read(); }

}  // namespace lockstep
