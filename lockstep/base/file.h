// Files: whole reads, and writes that either happen wholly or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep {

/// The whole file; throws a user error (missing, a folder, no permission) naming the path.
std::string read_file(const std::filesystem::path& path);

/// Receives the bytes of a file being written.
class FileSink {
 public:
  virtual ~FileSink() = default;
  virtual void write(const void* data, size_t bytes) = 0;
};

/// Writes aside (`path` + ".part"), syncs, renames, syncs the folder: a kill or a full disk at any moment
/// leaves the old file, or the new one, whole. Throws a system error with errno's text; removes the part file
/// then.
void write_file_atomically(const std::filesystem::path& path, const std::function<void(FileSink&)>& produce);
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// Read-only mapping of a whole file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace lockstep
