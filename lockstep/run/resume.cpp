#include "lockstep/run/resume.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "lockstep/base/text.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

/// The step in "checkpoint-00000012.ckpt"; -1 for other names.
int64_t step_of(std::string_view name) {
  constexpr std::string_view prefix = "checkpoint-", suffix = ".ckpt";
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return -1;
  name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  if (name.size() > 18 || !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return -1;
  return parse_int(name);
}

/// A name under which a run writes: a folder may hold what is not ours.
bool is_ours(const std::string& name) {
  return step_of(name) >= 0 || name == "model.safetensors" || name == "config.toml" ||
         name == "metrics.jsonl";
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    files.push_back(it->path());
  return files;
}

std::unique_ptr<CheckpointFile> newest_whole(const fs::path& folder,
                                             const std::function<void(const std::string&)>& warn) {
  auto names = list_checkpoints(folder);
  for (const auto& name : names) {
    try {
      return std::make_unique<CheckpointFile>(name.path);
    } catch (const Error& e) {
      if (e.kind != ErrorKind::data) throw;
      warn(fmt::format("passing over {}: {}", name.path.string(), e.problem));
    }
  }
  if (names.empty()) return nullptr;
  throw data_error("no checkpoint of this folder is whole")
      .at(folder.string())
      .but(fmt::format("{} damaged ones", names.size()), "a whole one")
      .advise("begin anew with another --out");
}

Error nothing_there(const std::string& place, const std::string& got) {
  return user_error("there is no checkpoint to resume from")
      .at(place)
      .but(got, "checkpoint-<step>.ckpt, or a folder with one")
      .advise("name a run folder or a checkpoint");
}

}  // namespace

fs::path checkpoint_path(const fs::path& folder, int64_t step) {
  return folder / fmt::format("checkpoint-{:08}.ckpt", step);
}

std::vector<CheckpointName> list_checkpoints(const fs::path& folder) {
  std::vector<CheckpointName> names;
  for (const auto& path : files_in(folder))
    if (int64_t step = step_of(path.filename().string()); step >= 0) names.push_back({step, path});
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.step > b.step; });
  return names;
}

void check_resume(const std::string& resume) {
  if (resume == "auto" || resume == "none" || fs::exists(resume)) return;
  throw nothing_there(resume, "no such file or folder");
}

std::unique_ptr<CheckpointFile> find_checkpoint(const std::string& resume, const fs::path& folder,
                                                const std::function<void(const std::string&)>& warn) {
  bool has_some = !list_checkpoints(folder).empty();
  if (resume == "auto") return newest_whole(folder, warn);
  if (resume == "none") {
    if (has_some)
      throw user_error("this folder holds a run")
          .at(folder.string())
          .advise("choose another --out or --resume auto");
    return nullptr;
  }
  fs::path from(resume);
  check_resume(resume);
  bool is_folder = fs::is_directory(from);
  std::error_code ignored;
  if (has_some && !fs::equivalent(is_folder ? from : from.parent_path() / ".", folder, ignored))
    throw user_error("this folder holds another run")
        .at(folder.string())
        .but("--resume " + resume, "a folder without checkpoints")
        .advise("choose another --out or --resume auto");
  if (!is_folder) return std::make_unique<CheckpointFile>(from);
  auto found = newest_whole(from, warn);
  if (!found) throw nothing_there(resume, "a folder without checkpoints");
  return found;
}

void prune_checkpoints(const fs::path& folder, int64_t keep, const fs::path& written) {
  auto names = list_checkpoints(folder);
  for (size_t i = static_cast<size_t>(std::max<int64_t>(keep, 1)); i < names.size(); ++i) {
    std::error_code ignored;  // an old checkpoint too many harms nobody
    if (names[i].path != written) fs::remove(names[i].path, ignored);
  }
}

void remove_leftovers(const fs::path& folder) {
  for (const auto& path : files_in(folder)) {
    std::error_code ignored;
    if (path.extension() == ".part" && is_ours(path.stem().string())) fs::remove(path, ignored);
  }
}

}  // namespace lockstep
