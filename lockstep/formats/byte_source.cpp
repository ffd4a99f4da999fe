#include "lockstep/formats/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "lockstep/base/error.h"
#include "lockstep/base/file.h"

namespace lockstep {
namespace {

constexpr size_t kLargestFeed = size_t{1} << 30;  // zlib counts in 32 bits

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(std::unique_ptr<MappedFile> file) : file_(std::move(file)) {}

  size_t read(uint8_t* to, size_t bytes) override {
    size_t n = std::min(bytes, file_->size() - next_);
    if (n > 0) std::memcpy(to, file_->data() + next_, n);
    next_ += n;
    return n;
  }
  bool is_gzip() const override { return false; }

 private:
  std::unique_ptr<MappedFile> file_;
  size_t next_ = 0;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<MappedFile> file, std::filesystem::path path)
      : file_(std::move(file)), path_(std::move(path)) {
    if (inflateInit2(&stream_, MAX_WBITS + 16) != Z_OK)
      throw system_error("cannot start zlib");  // 16: gzip frame
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  size_t read(uint8_t* to, size_t bytes) override {
    size_t done = 0;
    while (done < bytes && !finished_) done += inflate_some(to + done, std::min(bytes - done, kLargestFeed));
    return done;
  }
  bool is_gzip() const override { return true; }

 private:
  size_t inflate_some(uint8_t* to, size_t room) {
    size_t fed = std::min(file_->size() - taken_, kLargestFeed);
    stream_.next_in = const_cast<uint8_t*>(file_->data()) + taken_;
    stream_.avail_in = static_cast<uInt>(fed);
    stream_.next_out = to;
    stream_.avail_out = static_cast<uInt>(room);
    int status = inflate(&stream_, Z_NO_FLUSH);
    taken_ += fed - stream_.avail_in;
    if (status == Z_STREAM_END)
      end_member();
    else if (status == Z_BUF_ERROR)
      throw corrupt("the gzip data ends early");
    else if (status != Z_OK)
      throw corrupt(stream_.msg != nullptr ? "corrupt gzip data: " + std::string(stream_.msg)
                                           : "corrupt gzip data");
    return room - stream_.avail_out;
  }

  /// A gzip file may be several members one after another; anything else behind a member is damage.
  void end_member() {
    finished_ = taken_ == file_->size();
    if (finished_) return;
    if (file_->data()[taken_] != 0x1f) throw corrupt("foreign bytes after the gzip data");
    inflateReset(&stream_);
  }

  Error corrupt(std::string problem) const {
    return data_error(std::move(problem))
        .at(byte_place(path_, static_cast<int64_t>(taken_), false))
        .advise("fetch the file again and compare its checksum; `gzip -t` should accept it");
  }

  std::unique_ptr<MappedFile> file_;
  std::filesystem::path path_;
  z_stream stream_{};
  size_t taken_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  auto file = std::make_unique<MappedFile>(path);
  bool gzip = file->size() >= 2 && file->data()[0] == 0x1f && file->data()[1] == 0x8b;
  if (gzip) return std::make_unique<GzipSource>(std::move(file), path);
  return std::make_unique<PlainSource>(std::move(file));
}

std::string byte_place(const std::filesystem::path& path, int64_t offset, bool is_gzip) {
  return path.string() + ": byte " + std::to_string(offset) + (is_gzip ? " of the inflated data" : "");
}

}  // namespace lockstep
