#include "lockstep/run/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "lockstep/base/hash.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

using Metadata = std::map<std::string, std::string>;
constexpr std::string_view format_name = "lockstep-checkpoint";

/// Lengths stand before texts, so that no two checkpoints give the hash the same bytes.
void add_text(Sha256& hash, std::string_view text) {
  std::string length = fmt::format("{}:", text.size());
  hash.add(length.data(), length.size());
  hash.add(text.data(), text.size());
}

/// Over all tensors and the other metadata.
std::string digest_of(const std::vector<TensorView>& tensors, const Metadata& metadata) {
  Sha256 hash;
  for (const auto& [key, value] : metadata) {
    if (key == "digest") continue;
    add_text(hash, key);
    add_text(hash, value);
  }
  for (const auto& tensor : tensors) {
    add_text(hash, tensor.name);
    add_text(hash, type_text(tensor.type));
    hash.add(tensor.data, static_cast<size_t>(tensor.type.bytes()));
  }
  return hash.finish();
}

Metadata metadata_of(const CheckpointInfo& info, const Bundle& bundle) {
  return {{"format", std::string(format_name)},
          {"version", std::to_string(checkpoint_version)},
          {"bundle", info.bundle},
          {"model", model_hash(bundle)},
          {"settings", print(info.settings)},
          {"step", std::to_string(info.step)},
          {"position", std::to_string(info.step)},
          {"seed", std::to_string(info.seed)},
          {"evaluated_step", std::to_string(info.evaluated_step)},
          {"accuracy", number_text(info.accuracy)}};
}

const std::string& text_of(const Metadata& metadata, const std::string& key) {
  auto found = metadata.find(key);
  if (found == metadata.end()) throw data_error("the checkpoint lacks an entry").but("no " + key, key);
  return found->second;
}

CheckpointInfo info_of(const Metadata& metadata) {
  CheckpointInfo info;
  info.step = parse_int(text_of(metadata, "step"));
  info.seed = parse_uint(text_of(metadata, "seed"));
  info.bundle = text_of(metadata, "bundle");
  info.settings = parse_trajectory(text_of(metadata, "settings"));
  info.evaluated_step = parse_int(text_of(metadata, "evaluated_step"));
  info.accuracy = parse_double(text_of(metadata, "accuracy"));
  if (info.step < 0 || parse_int(text_of(metadata, "position")) != info.step)
    throw data_error("step and position of the checkpoint disagree");
  return info;
}

Error other_model(const std::filesystem::path& path, const std::string& variable) {
  return user_error("the checkpoint is of another model")
      .at(path.string() + ": variable " + variable)
      .advise("use the configuration the checkpoint was written with");
}

}  // namespace

std::string model_hash(const Bundle& bundle) {
  std::vector<std::string> lines;
  for (const auto& v : bundle.variables)
    lines.push_back(
        fmt::format("{} {} {}", lockstep::quoted(v.name), type_text(v.type), field_text(v.info.role)));
  std::sort(lines.begin(), lines.end());
  return sha256(join(lines, "\n"));
}

int64_t write_checkpoint(const std::filesystem::path& path, const Executable& executable, Snapshot& snapshot,
                         const CheckpointInfo& info) {
  snapshot.read(executable);
  auto metadata = metadata_of(info, executable.bundle());
  metadata["digest"] = digest_of(snapshot.tensors(), metadata);
  write_safetensors(path, snapshot.tensors(), metadata);
  return static_cast<int64_t>(std::filesystem::file_size(path));
}

CheckpointFile::CheckpointFile(const std::filesystem::path& path) : path_(path), file_(path) {
  try {
    check_format();
    check_digest();
    info_ = info_of(file_.metadata());
  } catch (Error& e) {
    throw e.at(path.string());
  }
}

void CheckpointFile::check_format() const {
  const auto& metadata = file_.metadata();
  auto format = metadata.find("format");
  if (format == metadata.end() || format->second != format_name)
    throw data_error("the file is not a checkpoint")
        .but(format == metadata.end() ? "no format" : lockstep::quoted(format->second),
             lockstep::quoted(format_name));
  int64_t version = 0;
  try {
    version = parse_int(text_of(metadata, "version"));
  } catch (const Error&) {
    throw data_error("the checkpoint's version is unreadable");
  }
  if (version > checkpoint_version)
    throw user_error("the checkpoint was written by a newer lockstep")
        .but(fmt::format("version {}", version), fmt::format("version {} at most", checkpoint_version))
        .advise("install a newer lockstep");
  if (version < 1)
    throw data_error("the checkpoint's version is unreadable").but(std::to_string(version), "1 or more");
}

void CheckpointFile::check_digest() const {
  std::string want = text_of(file_.metadata(), "digest"), got = digest_of(file_.tensors(), file_.metadata());
  if (got != want)
    throw data_error("the checkpoint is damaged: its SHA-256 is not what it says")
        .but(got, want)
        .advise("use the checkpoint before it");
}

void CheckpointFile::check_variables(const Bundle& bundle) const {
  for (const auto& variable : bundle.variables) {
    const auto* tensor = file_.find(variable.name);
    if (tensor == nullptr)
      throw other_model(path_, variable.name).but("no such variable", type_text(variable.type));
    if (tensor->type != variable.type)
      throw other_model(path_, variable.name).but(type_text(tensor->type), type_text(variable.type));
  }
  for (const auto& tensor : file_.tensors())
    if (bundle.find_variable(tensor.name) < 0)
      throw other_model(path_, tensor.name).but(type_text(tensor.type), "no such variable");
  if (text_of(file_.metadata(), "model") != model_hash(bundle))
    throw other_model(path_, "roles").but(text_of(file_.metadata(), "model"), model_hash(bundle));
}

void CheckpointFile::restore(Executable& executable) const {
  const auto& variables = executable.bundle().variables;
  check_variables(executable.bundle());
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto* tensor = file_.find(variables[i].name);
    auto bytes = static_cast<size_t>(tensor->type.bytes());
    std::vector<uint64_t> aligned((bytes + 7) / 8);
    if (bytes > 0) std::memcpy(aligned.data(), tensor->data, bytes);
    executable.write_variable(static_cast<int>(i), aligned.data());
  }
}

}  // namespace lockstep
