// Variables of an executable, copied to the host.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lockstep/formats/safetensors.h"
#include "lockstep/targets/target.h"

namespace lockstep {

/// Allocates once; `read` can then be called after every call of the executable.
class Snapshot {
 public:
  /// Of the variables that `takes` accepts; null: of all.
  explicit Snapshot(const Bundle& bundle, const std::function<bool(const VariableDecl&)>& takes = nullptr);

  void read(const Executable& executable);
  /// In the order of the bundle; they live as long as this.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  int64_t bytes() const { return bytes_; }

 private:
  std::vector<int> variables_;
  std::vector<std::vector<uint64_t>> values_;  // words, so that every element is aligned
  std::vector<TensorView> tensors_;
  int64_t bytes_ = 0;
};

}  // namespace lockstep
