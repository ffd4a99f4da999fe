// Which checkpoint a run goes on from, and which ones are kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/run/checkpoint.h"

namespace lockstep {

struct CheckpointName {
  int64_t step = 0;
  std::filesystem::path path;
};

/// folder/checkpoint-<step, 8 digits>.ckpt
std::filesystem::path checkpoint_path(const std::filesystem::path& folder, int64_t step);
/// The checkpoints of a folder by name, newest first; none when there is no such folder.
std::vector<CheckpointName> list_checkpoints(const std::filesystem::path& folder);

/// Throws a user error when `resume` is neither "auto" nor "none" nor a path that exists.
void check_resume(const std::string& resume);
/// What the run in `folder` goes on from; null: it begins anew. `resume` says:
///  - "auto": the newest whole checkpoint of the folder, or none. Damaged newer ones are passed over with one
///  call of
///    `warn` each; where all are damaged, a data error.
///  - "none": none; a user error when the folder holds checkpoints.
///  - a path: that file, or the newest whole checkpoint of that folder; an error when there is none.
/// Throws a user error on a checkpoint of a newer version: it is whole, so it must not be passed over.
std::unique_ptr<CheckpointFile> find_checkpoint(const std::string& resume,
                                                const std::filesystem::path& folder,
                                                const std::function<void(const std::string&)>& warn);

/// Removes all but the newest `keep` checkpoints (at least one), never `written`.
void prune_checkpoints(const std::filesystem::path& folder, int64_t keep,
                       const std::filesystem::path& written);
/// Removes the ".part" files of ours that a killed run left in a folder. Nobody may be writing there.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace lockstep
