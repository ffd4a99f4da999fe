// From what the user typed - a path or a model's name - to settings.
#include "lockstep/config/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lockstep/base/file.h"
#include "lockstep/config/toml.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t most_bytes = 1 << 20;  ///< of a config: whatever is larger is something else

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& m : named_models()) names.push_back(m.name);
  return names;
}

/// TOML files in and under the folder, sorted; what can't be looked into is passed over.
std::vector<std::string> toml_files(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
  for (int seen = 0; !error && at != end && seen < 1000; at.increment(error), ++seen)
    if (at->path().extension() == ".toml") files.push_back(at->path().generic_string());
  std::sort(files.begin(), files.end());
  return files;
}

/// The nearest by the whole path, else by the last part alone.
std::string nearest_config(const std::string& wrong, const std::vector<std::string>& names) {
  if (auto whole = nearest_name(wrong, names); !whole.empty()) return whole;
  std::vector<std::string> last;
  for (const auto& n : names) last.push_back(fs::path(n).filename().string());
  auto near = nearest_name(fs::path(wrong).filename().string(), last);
  auto at = std::find(last.begin(), last.end(), near);
  return near.empty() ? "" : names[static_cast<size_t>(at - last.begin())];
}

Error nothing_there(const std::string& path_or_model) {
  auto names = model_names(), files = toml_files("configs"), all = names;
  all.insert(all.end(), files.begin(), files.end());
  auto near = nearest_config(path_or_model, all);
  auto error = user_error(fmt::format("no config file and no model '{}'{}", path_or_model,
                                      near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  error.but(path_or_model,
            files.empty()
                ? "a .toml file, or a model: " + join(names, ", ")
                : fmt::format(
                      "a .toml file ({} ...), or a model: {}",
                      join(std::vector(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(
                                                                          std::min<size_t>(4, files.size()))),
                           ", "),
                      join(names, ", ")));
  return error;
}

Error is_folder(const std::string& path) {
  auto files = toml_files(path);
  auto error = user_error("a folder, not a config file").at(path).but("a folder", "a .toml file");
  if (!files.empty()) error.advise(fmt::format("did you mean {}?", files.front()));
  return error;
}

void check_is_text(const std::string& text, const std::string& path) {
  auto zero = text.find('\0');
  if (zero == std::string::npos) return;
  throw user_error("a binary file, not a config")
      .at(path)
      .but(fmt::format("byte 0x00 at offset {}", zero), "TOML text");
}

}  // namespace

Settings load_settings(const std::string& path_or_model, const std::vector<std::string>& overrides) {
  std::error_code error;
  auto status = fs::status(path_or_model, error);
  if (!fs::is_regular_file(status)) {
    auto names = model_names();
    if (std::find(names.begin(), names.end(), path_or_model) != names.end())
      return parse_settings(fmt::format("[model]\nname = {}\n", toml_quoted(path_or_model)), path_or_model,
                            overrides);
    if (fs::is_directory(status)) throw is_folder(path_or_model);
    if (fs::exists(status))
      throw user_error("not a regular file")
          .at(path_or_model)
          .but("a device, pipe or socket", "a .toml file");
    throw nothing_there(path_or_model);
  }
  auto bytes = fs::file_size(path_or_model, error);
  if (!error && bytes > most_bytes)
    throw user_error("too large for a config file")
        .at(path_or_model)
        .but(fmt::format("{} bytes", bytes), fmt::format("at most {} bytes of TOML", most_bytes));
  auto text = read_file(path_or_model);
  check_is_text(text, path_or_model);
  return parse_settings(text, path_or_model, overrides);
}

}  // namespace lockstep
