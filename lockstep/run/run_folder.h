// The folder of a run: config.toml, metrics.jsonl, checkpoints, model.safetensors. One process at a time.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep {

/// runs/<name>-<date>-<time>, with "-2" and so on behind it where that exists already.
std::filesystem::path default_run_folder(const std::string& name);

class RunFolder {
 public:
  /// Makes the folder where it is missing, locks it, removes what a killed run left half written. Throws a
  /// user error when it is a file, not writable, or another process runs in it (naming its process number), a
  /// system error when the disk is full.
  explicit RunFolder(const std::filesystem::path& path);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path metrics_path() const { return path_ / "metrics.jsonl"; }
  std::filesystem::path model_path() const { return path_ / "model.safetensors"; }
  /// Writes config.toml, unless it says the same already.
  void write_config(const std::string& text) const;

 private:
  void lock();

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace lockstep
