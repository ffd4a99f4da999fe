// Multi-layer perceptron over flattened images.
#pragma once

#include "lockstep/models/layers.h"

namespace lockstep {

/// Names: fc1, fc2 ... and `fc` for the classifier.
struct Mlp {
  std::vector<int64_t> hidden{256};
  double dropout = 0;  ///< behind each hidden layer

  static constexpr std::string_view name = "mlp", help = "multi-layer perceptron";
  static constexpr auto attrs = fields(field("hidden", &Mlp::hidden, "features of each hidden layer"),
                                       field("dropout", &Mlp::dropout, "rate behind each hidden layer"));

  NormOptions norm_options() const { return {}; }
  Value logits(Layers& layers, Value image, int64_t classes) const;
  void check() const;
};

}  // namespace lockstep
