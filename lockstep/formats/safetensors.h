// safetensors files: named tensors in one file that can be mapped and trusted after one look at its header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/file.h"
#include "lockstep/base/shape.h"

namespace lockstep {

/// A tensor whose bytes someone else owns: row major, little endian. In a mapped file they lie where the file
/// put them, so they may not be aligned to the element: copy, do not cast.
struct TensorView {
  std::string name;
  Type type;
  const uint8_t* data = nullptr;
};

/// A mapped file; its views live as long as it does.
class SafetensorsFile {
 public:
  /// Checks the whole header. Throws a user error when the file cannot be read, a data error naming the
  /// tensor or the byte when it breaks a rule of the format.
  explicit SafetensorsFile(const std::filesystem::path& path);

  const std::vector<TensorView>& tensors() const { return tensors_; }  ///< in the order of their data
  /// nullptr when there is none.
  const TensorView* find(std::string_view name) const;
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  void check_truth_values(const std::filesystem::path& path, const TensorView& tensor) const;

  MappedFile file_;
  std::vector<TensorView> tensors_;
  std::map<std::string, size_t, std::less<>> index_;
  std::map<std::string, std::string> metadata_;
};

/// Writes the tensors in the order given, wholly or not at all: equal arguments give equal files. The header
/// is padded with spaces so that the data starts at a multiple of 8. Throws a user error on a name that is
/// empty, reserved, not UTF-8 or used twice, a system error when the disk is full.
void write_safetensors(const std::filesystem::path& path, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace lockstep
