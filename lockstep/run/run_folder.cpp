#include "lockstep/run/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "lockstep/base/error.h"
#include "lockstep/base/file.h"
#include "lockstep/base/text.h"
#include "lockstep/run/resume.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

Error cannot(const std::string& what, const fs::path& path, int error) {
  bool theirs = error == ENOSPC || error == EDQUOT || error == EIO;
  std::string problem = what + ": " + std::generic_category().message(error);
  return (theirs ? system_error(problem) : user_error(problem))
      .at(path.string())
      .advise("choose another --out");
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (fs::is_directory(path)) return;
  if (fs::exists(path)) throw cannot("the run folder is a file", path, ENOTDIR);
  throw cannot("cannot make the run folder", path, error ? error.value() : ENOENT);
}

std::string holder_of(int lock) {
  char text[32] = {};
  ssize_t n = ::pread(lock, text, sizeof text - 1, 0);
  std::string pid(trim(std::string_view(text, n > 0 ? static_cast<size_t>(n) : 0)));
  return pid.empty() ? "another process" : "process " + pid;
}

}  // namespace

fs::path default_run_folder(const std::string& name) {
  std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  fs::path base = fs::path("runs") / fmt::format("{}-{:%Y%m%d-%H%M%S}", name, local), path = base;
  for (int i = 2; fs::exists(path); ++i) path = base.string() + "-" + std::to_string(i);
  return path;
}

RunFolder::RunFolder(const fs::path& path) : path_(path) {
  make_folder(path_);
  lock();
  remove_leftovers(path_);
}

RunFolder::~RunFolder() {
  ::close(lock_);
}  // which unlocks; the file stays, for a new one would be another lock

/// The kernel drops the lock when its holder dies, so a kill leaves nothing to clean up.
void RunFolder::lock() {
  fs::path file = path_ / ".lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) throw cannot("cannot write in the run folder", path_, errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    int error = errno;
    std::string holder = holder_of(lock_);
    ::close(lock_);
    if (error != EWOULDBLOCK) throw cannot("cannot lock the run folder", path_, error);
    throw user_error("another run uses this folder")
        .at(path_.string())
        .but("locked by " + holder, "a folder of its own for each run")
        .advise("choose another --out or wait for that run to end");
  }
  std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock_, 0) == 0 &&
      ::pwrite(lock_, pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size()))
    return;
  int error = errno;
  ::close(lock_);
  throw cannot("cannot write in the run folder", path_, error);
}

void RunFolder::write_config(const std::string& text) const {
  fs::path file = path_ / "config.toml";
  if (fs::is_regular_file(file) && read_file(file) == text) return;
  write_file_atomically(file, text);
}

}  // namespace lockstep
