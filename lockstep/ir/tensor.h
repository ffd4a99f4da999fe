// Tensors as the reference interpreter sees them: obvious, slow, exact.
#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/base/shape.h"

namespace lockstep {

/// Row-major. Floating point of any width is held in double (rounded to `type.dtype` by whoever asks for that
/// width), everything else in int64; u64 keeps its bits.
struct Tensor {
  Type type;
  std::vector<double> real;    ///< used when is_float(type.dtype)
  std::vector<int64_t> whole;  ///< used otherwise

  Tensor() = default;
  explicit Tensor(Type t);
  int64_t size() const { return type.elements(); }
  const Shape& shape() const { return type.shape; }
  bool is_real() const { return is_float(type.dtype); }
  /// Element i as double whatever the type; for ops that accept both.
  double at(int64_t i) const { return is_real() ? real[i] : static_cast<double>(whole[i]); }
  void set(int64_t i, double v) {
    if (is_real())
      real[i] = v;
    else
      whole[i] = static_cast<int64_t>(v);
  }
};
using Tensors = std::vector<Tensor>;

/// Rounds every element to the storage precision of its type (f64: nothing; integers wrap to their width).
void round_to_type(Tensor& tensor);

/// Raw little-endian bytes in the tensor's dtype <-> Tensor. Sizes must agree.
void store(const Tensor& tensor, void* bytes);
void load(Tensor& tensor, const void* bytes);

}  // namespace lockstep
