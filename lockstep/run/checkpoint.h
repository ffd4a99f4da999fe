// A checkpoint: one safetensors file with all variables of the bundle and what is needed to go on from there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lockstep/formats/safetensors.h"
#include "lockstep/run/snapshot.h"
#include "lockstep/run/trajectory.h"
#include "lockstep/targets/target.h"

namespace lockstep {

inline constexpr int checkpoint_version = 1;

/// What a checkpoint says besides the variables.
struct CheckpointInfo {
  int64_t step = 0;  ///< finished steps; also the position in the data, counted in batches
  uint64_t seed = 0;
  std::string bundle;           ///< hash of the bundle that wrote it; another one may read it
  Trajectory settings;          ///< those that must agree
  int64_t evaluated_step = -1;  ///< step of the last evaluation; -1: none yet
  double accuracy = 0;          ///< it gave
};

/// Hash over names, types and roles of the variables, whatever their order: what must agree to load.
std::string model_hash(const Bundle& bundle);

/// Reads the executable's variables into `snapshot` (of all variables) and writes the file wholly or not at
/// all. Returns its size in bytes. Throws a system error when the disk is full.
int64_t write_checkpoint(const std::filesystem::path& path, const Executable& executable, Snapshot& snapshot,
                         const CheckpointInfo& info);

/// A checkpoint found whole. Throws
///  - a user error when the file cannot be read or was written by a newer version;
///  - a data error when it is cut short, damaged (its SHA-256 is wrong) or no checkpoint.
class CheckpointFile {
 public:
  explicit CheckpointFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const CheckpointInfo& info() const { return info_; }

  /// Throws a user error naming the first variable that is missing, too much or of another type.
  void check_variables(const Bundle& bundle) const;
  /// Checks the variables, then writes all of them.
  void restore(Executable& executable) const;

 private:
  void check_format() const;
  void check_digest() const;

  std::filesystem::path path_;
  SafetensorsFile file_;
  CheckpointInfo info_;
};

}  // namespace lockstep
