#include "lockstep/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "lockstep/base/error.h"

namespace lockstep {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int operator*() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error cannot(const std::string& verb, const std::filesystem::path& path, int error) {
  auto make = error == ENOENT || error == EACCES || error == EISDIR || error == ENOTDIR
                  ? user_error
                  : [](std::string s) { return system_error(std::move(s)); };
  return make("cannot " + verb + ": " + std::string(std::generic_category().message(error)))
      .at(path.string());
}

int open_for_reading(const std::filesystem::path& path, size_t* size) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw cannot("read", path, errno);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    int error = S_ISDIR(info.st_mode) ? EISDIR : errno != 0 ? errno : EINVAL;
    ::close(fd);
    throw cannot("read", path, error);
  }
  *size = static_cast<size_t>(info.st_size);
  return fd;
}

class DescriptorSink final : public FileSink {
 public:
  DescriptorSink(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  void write(const void* data, size_t bytes) override {
    const auto* p = static_cast<const char*>(data);
    while (bytes > 0) {
      ssize_t n = ::write(fd_, p, bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw cannot("write", path_, errno);
      p += n;
      bytes -= static_cast<size_t>(n);
    }
  }

 private:
  int fd_;
  std::filesystem::path path_;
};

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  size_t size = 0;
  Descriptor fd(open_for_reading(path, &size));
  std::string contents;
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(*fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot("read", path, errno);
    if (n == 0) return contents;
    contents.append(buffer, static_cast<size_t>(n));
  }
}

void write_file_atomically(const std::filesystem::path& path, const std::function<void(FileSink&)>& produce) {
  auto part = path;
  part += ".part";
  try {
    Descriptor fd(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (*fd < 0) throw cannot("write", part, errno);
    DescriptorSink sink(*fd, part);
    produce(sink);
    if (::fsync(*fd) != 0) throw cannot("sync", part, errno);
    if (::close(fd.release()) != 0) throw cannot("close", part, errno);
    if (::rename(part.c_str(), path.c_str()) != 0) throw cannot("rename to", path, errno);
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
  auto folder = path.parent_path().empty() ? std::filesystem::path(".") : path.parent_path();
  Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (*directory >= 0)
    ::fsync(*directory);  // some file systems refuse; the rename itself is atomic all the same
}

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  write_file_atomically(path, [&](FileSink& sink) { sink.write(contents.data(), contents.size()); });
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  Descriptor fd(open_for_reading(path, &size_));
  if (size_ == 0) return;
  void* p = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, *fd, 0);
  if (p == MAP_FAILED) throw cannot("map", path, errno);
  data_ = static_cast<const uint8_t*>(p);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<uint8_t*>(data_), size_);
}

}  // namespace lockstep
