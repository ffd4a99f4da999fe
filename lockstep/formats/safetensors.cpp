#include "lockstep/formats/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"
#include "lockstep/formats/safetensors_header.h"
#include "lockstep/formats/utf8.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little endian");

/// The header's text. Refuses a length that lies before anything is allocated.
std::string_view header_of(const MappedFile& file, const std::filesystem::path& path) {
  if (file.size() < 8)
    throw data_error("the file is too small for a safetensors header")
        .at(path.string())
        .but(fmt::format("{} bytes", file.size()), "8 bytes at least");
  uint64_t length;
  std::memcpy(&length, file.data(), 8);
  auto refuse = [&](const char* problem, uint64_t most) {
    return data_error(problem)
        .at(path.string() + ": byte 0")
        .but(fmt::format("{} bytes", length), fmt::format("{} bytes at most", most));
  };
  if (length > kLargestSafetensorsHeader)
    throw refuse("the safetensors header is too large", kLargestSafetensorsHeader);
  if (length > file.size() - 8)
    throw refuse("the safetensors header is longer than the file", file.size() - 8);
  return file.view().substr(8, length);
}

std::string json_text(std::string_view text) { return nlohmann::json(text).dump(); }

void check_text(std::string_view text, const char* what) {
  if (first_bad_utf8(text) != std::string_view::npos)
    throw user_error(std::string(what) + " is not UTF-8").at(lockstep::quoted(text));
}

std::string header_text(const std::vector<TensorView>& tensors,
                        const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> items;
  for (const auto& [key, value] : metadata) {
    check_text(key, "metadata key");
    check_text(value, "metadata value");
    items.push_back(json_text(key) + ":" + json_text(value));
  }
  if (!items.empty()) items = {"\"__metadata__\":{" + join(items, ",") + "}"};
  std::set<std::string_view> seen;
  int64_t begin = 0;
  for (const auto& t : tensors) {
    check_text(t.name, "tensor name");
    if (t.name.empty() || t.name == "__metadata__")
      throw user_error("a tensor cannot have this name").at(lockstep::quoted(t.name));
    if (!seen.insert(t.name).second) throw user_error("two tensors of one name").at(lockstep::quoted(t.name));
    int64_t end = begin + t.type.bytes();
    items.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", json_text(t.name),
                                safetensors_name(t.type.dtype), shape_text(t.type.shape), begin, end));
    begin = end;
  }
  std::string text = "{" + join(items, ",") + "}";
  text.resize((text.size() + 7) / 8 * 8, ' ');
  if (text.size() > kLargestSafetensorsHeader)
    throw user_error("too many tensors for one safetensors file")
        .but(bytes_text(static_cast<int64_t>(text.size())), "a header of 100 MB at most");
  return text;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  auto json = header_of(file_, path);
  const uint8_t* data = file_.data() + 8 + json.size();
  auto header = parse_safetensors_header(json, file_.size() - 8 - json.size(), path);
  metadata_ = std::move(header.metadata);
  for (auto& entry : header.tensors) {
    index_.emplace(entry.name, tensors_.size());
    tensors_.push_back({std::move(entry.name), std::move(entry.type), data + entry.begin});
    if (tensors_.back().type.dtype == DType::pred) check_truth_values(path, tensors_.back());
  }
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

/// A `pred` of any other byte would be a trap for every kernel behind us.
void SafetensorsFile::check_truth_values(const std::filesystem::path& path, const TensorView& tensor) const {
  const uint8_t* end = tensor.data + tensor.type.bytes();
  const uint8_t* bad = std::find_if(tensor.data, end, [](uint8_t byte) { return byte > 1; });
  if (bad != end)
    throw data_error("a BOOL tensor holds a byte that is neither 0 nor 1")
        .at(fmt::format("{}: tensor {}, byte {}", path.string(), lockstep::quoted(tensor.name),
                        bad - file_.data()))
        .but(std::to_string(*bad), "0 | 1");
}

void write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::string header;
  try {
    header = header_text(tensors, metadata);
  } catch (Error& e) {
    throw e.at(path.string());
  }
  write_file_atomically(path, [&](FileSink& sink) {
    uint64_t length = header.size();
    sink.write(&length, 8);
    sink.write(header.data(), header.size());
    for (const auto& t : tensors) sink.write(t.data, static_cast<size_t>(t.type.bytes()));
  });
}

}  // namespace lockstep
