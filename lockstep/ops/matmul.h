// Products of matrices.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// y[..., i, j] = sum over k of a[..., i, k] * b[..., k, j].
/// a (..., M, K), b (..., K, N) with the leading sizes of a, or (K, N) for all of them -> y (..., M, N).
/// transpose_a: a is stored as (..., K, M); transpose_b: b is stored as (..., N, K).
struct Matmul {
  bool transpose_a = false, transpose_b = false;
  static constexpr OpInfo info{"matmul", {"a", "b"}, {"y"}};
  static constexpr auto attrs =
      fields(field("transpose_a", &Matmul::transpose_a), field("transpose_b", &Matmul::transpose_b));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value matmul(Value a, Value b, bool transpose_a = false, bool transpose_b = false, Site site = {});

}  // namespace lockstep
