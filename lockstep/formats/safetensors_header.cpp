#include "lockstep/formats/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"
#include "lockstep/formats/utf8.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;
constexpr size_t kMostDimensions = 64;

std::string clipped(std::string_view name) { return quoted(name.substr(0, 200)); }

/// Takes the parser's events and lets only the one shape of header through. nlohmann's own tree would keep
/// the last of two equal keys without a word.
class HeaderReader final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderReader(uint64_t data_bytes) : data_bytes_(data_bytes) {}
  SafetensorsHeader take();

  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a truth value"); }
  bool number_integer(int64_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(uint64_t value) override;
  bool number_float(double, const std::string& text) override { return scalar(text.substr(0, 64)); }
  bool string(std::string& text) override;
  bool binary(Json::binary_t&) override { return scalar("binary"); }
  bool start_object(size_t) override;
  bool key(std::string& name) override;
  bool end_object() override;
  bool start_array(size_t) override;
  bool end_array() override;
  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    throw data_error("the safetensors header is not JSON")
        .at(fmt::format("byte {}", 8 + position - (position > 0)));
  }

 private:
  enum class In { start, header, metadata, tensor, shape, offsets };

  bool scalar(const std::string& got) { throw misplaced(got); }
  Error misplaced(const std::string& got) const;
  std::string here() const;
  void add_dimension(uint64_t size);
  void finish_tensor();

  uint64_t data_bytes_;
  SafetensorsHeader header_;
  std::set<std::string, std::less<>> names_;
  In in_ = In::start;
  std::string field_;             // the key last read, in metadata or in a tensor
  std::set<std::string> fields_;  // keys seen in this tensor
  SafetensorsEntry entry_;
  std::vector<uint64_t> offsets_;
  uint64_t claimed_ = 0;  // bytes of all tensors so far
};

std::string HeaderReader::here() const {
  switch (in_) {
    case In::start:
      return "header";
    case In::header:
      return "header, key " + clipped(entry_.name);
    case In::metadata:
      return "__metadata__, key " + clipped(field_);
    default:
      return "tensor " + clipped(entry_.name) + (field_.empty() ? "" : ", key " + clipped(field_));
  }
}

Error HeaderReader::misplaced(const std::string& got) const {
  std::string want = "an object of dtype, shape and data_offsets";
  if (in_ == In::start) want = "an object";
  if (in_ == In::metadata) want = "text";
  if (in_ == In::tensor) want = field_ == "dtype" ? "the name of an element type" : "a list of integers";
  if (in_ == In::shape || in_ == In::offsets) want = "an integer from 0";
  return data_error(in_ == In::metadata ? "safetensors metadata must be text"
                                        : "malformed safetensors header")
      .at(here())
      .but(got, want);
}

bool HeaderReader::number_unsigned(uint64_t value) {
  if (in_ == In::shape)
    add_dimension(value);
  else if (in_ == In::offsets && offsets_.size() < 3)
    offsets_.push_back(value);
  else if (in_ != In::offsets)
    throw misplaced(std::to_string(value));
  return true;
}

bool HeaderReader::string(std::string& text) {
  if (in_ == In::metadata) {
    if (!header_.metadata.emplace(field_, std::move(text)).second)
      throw data_error("duplicate metadata key").at(here());
    return true;
  }
  if (in_ != In::tensor || field_ != "dtype") throw misplaced(clipped(text));
  try {
    entry_.type.dtype = parse_safetensors_dtype(text);
  } catch (Error& e) {
    throw e.at(here());
  }
  return true;
}

bool HeaderReader::start_object(size_t) {
  if (in_ == In::start) {
    in_ = In::header;
  } else if (in_ == In::header) {
    in_ = entry_.name == "__metadata__" ? In::metadata : In::tensor;
    field_.clear();
    fields_.clear();
  } else {
    throw misplaced("an object");
  }
  return true;
}

bool HeaderReader::key(std::string& name) {
  if (in_ == In::header) {
    entry_ = {};
    entry_.name = name;
    offsets_.clear();
    if (!names_.insert(name).second)
      throw data_error("duplicate key in the safetensors header")
          .at(here())
          .but("two entries of this name", "one");
    return true;
  }
  field_ = name;
  if (in_ == In::metadata) return true;
  if (name != "dtype" && name != "shape" && name != "data_offsets")
    throw data_error("unknown key in the safetensors header")
        .at(here())
        .but(clipped(name), "dtype | shape | data_offsets");
  if (!fields_.insert(name).second) throw data_error("duplicate key in the safetensors header").at(here());
  return true;
}

bool HeaderReader::start_array(size_t) {
  if (in_ != In::tensor || field_ == "dtype") throw misplaced("a list");
  in_ = field_ == "shape" ? In::shape : In::offsets;
  return true;
}

bool HeaderReader::end_array() {
  if (in_ == In::offsets && offsets_.size() != 2)
    throw data_error("malformed safetensors header")
        .at(here())
        .but("a list of another length", "[begin, end]");
  in_ = In::tensor;
  return true;
}

bool HeaderReader::end_object() {
  if (in_ == In::tensor) finish_tensor();
  in_ = in_ == In::header ? In::start : In::header;
  return true;
}

void HeaderReader::add_dimension(uint64_t size) {
  auto& shape = entry_.type.shape;
  if (shape.size() == kMostDimensions)
    throw data_error("too many dimensions")
        .at(here())
        .but("more", std::to_string(kMostDimensions) + " at most");
  if (size > static_cast<uint64_t>(INT64_MAX))
    throw data_error("the tensor's size overflows").at(here()).but(std::to_string(size), "below 2^63");
  shape.push_back(static_cast<int64_t>(size));
}

/// Bytes of a tensor; an empty dimension does not excuse an overflow of the others.
uint64_t checked_bytes(const Type& type) {
  int64_t product = bytes_of(type.dtype);
  for (int64_t size : type.shape)
    if (__builtin_mul_overflow(product, std::max<int64_t>(size, 1), &product))
      throw data_error("the tensor's size overflows").but(shape_text(type.shape), "a product below 2^63");
  return static_cast<uint64_t>(type.bytes());
}

/// The tensors, once in order, must tile [0, data_bytes) without overlap or hole.
void check_tiling(std::vector<SafetensorsEntry>& tensors, uint64_t data_bytes) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t covered = 0;
  const SafetensorsEntry* before = nullptr;
  for (const auto& t : tensors) {
    if (t.begin != covered)
      throw data_error(t.begin < covered ? "two tensors overlap" : "a hole between tensors")
          .at("tensor " + clipped(t.name) +
              (before != nullptr ? ", after tensor " + clipped(before->name) : ""))
          .but(fmt::format("begins at {}", t.begin), fmt::format("begins at {}", covered));
    covered = t.end;
    before = &t;
  }
  if (covered != data_bytes)
    throw data_error("bytes that belong to no tensor")
        .but(fmt::format("{} bytes of data", data_bytes), fmt::format("{} bytes of tensors", covered));
}

void HeaderReader::finish_tensor() {
  field_.clear();
  for (const char* name : {"dtype", "shape", "data_offsets"})
    if (!fields_.contains(name))
      throw data_error("missing key in the safetensors header")
          .at(here())
          .but("no " + std::string(name), name);
  entry_.begin = offsets_[0];
  entry_.end = offsets_[1];
  auto range = fmt::format("[{},{}]", entry_.begin, entry_.end);
  if (entry_.begin > entry_.end)
    throw data_error("a tensor ends before it begins").at(here()).but(range, "begin <= end");
  if (entry_.end > data_bytes_)
    throw data_error("a tensor reaches beyond the end of the file")
        .at(here())
        .but(range, fmt::format("an end of {} at most", data_bytes_))
        .advise("fetch the file again if it was cut short");
  uint64_t want = 0;
  try {
    want = checked_bytes(entry_.type);
  } catch (Error& e) {
    throw e.at(here());
  }
  if (entry_.end - entry_.begin != want)
    throw data_error("a tensor's type and range disagree")
        .at(here())
        .but(range, fmt::format("{} bytes for {}", want, type_text(entry_.type)));
  claimed_ += want;
  header_.tensors.push_back(std::move(entry_));
  // Ranges within the data that sum to more than it must overlap: a flood of entries on one range ends here.
  if (claimed_ > data_bytes_) check_tiling(header_.tensors, data_bytes_);
}

SafetensorsHeader HeaderReader::take() {
  check_tiling(header_.tensors, data_bytes_);
  return std::move(header_);
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, uint64_t data_bytes,
                                           const std::filesystem::path& path) {
  try {
    if (size_t bad = first_bad_utf8(json); bad != std::string_view::npos)
      throw data_error("the safetensors header is not UTF-8").at(fmt::format("byte {}", 8 + bad));
    if (json.empty() || json.front() != '{')
      throw data_error("the safetensors header is not a JSON object")
          .at("byte 8")
          .but(json.empty() ? "nothing" : clipped(json.substr(0, 1)), "{");
    // nlohmann takes a zero byte for the end and would not look at what follows it.
    if (size_t zero = json.find('\0'); zero != std::string_view::npos)
      throw data_error("a zero byte in the safetensors header").at(fmt::format("byte {}", 8 + zero));
    HeaderReader reader(data_bytes);
    Json::sax_parse(json, &reader);
    return reader.take();
  } catch (Error& e) {
    throw e.at(path.string());
  }
}

}  // namespace lockstep
