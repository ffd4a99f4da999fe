// Optimizers: each a record that appends the update of one parameter to the graph.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "lockstep/ops/sgd.h"

namespace lockstep {

struct RecordInfo {
  std::string_view name, help;
};

/// What every update needs.
struct UpdateInputs {
  Value parameter, gradient;  ///< same type; gradient of the mean loss, unscaled
  Value rate;                 ///< f32[]: this step's learning rate
  Value apply;                ///< pred[]: false leaves parameter and state as they are
};

/// Stochastic gradient descent with momentum; formulas in ops/sgd.h.
struct SgdOptimizer {
  SgdForm form = SgdForm::rate_outside;
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0;
  bool decay_bias = false;  ///< also decay biases
  bool decay_norm = false;  ///< also decay scales and shifts of normalisation

  static constexpr RecordInfo info{"sgd", "stochastic gradient descent with momentum"};
  static constexpr auto attrs =
      fields(field("form", &SgdOptimizer::form,
                   "rate_outside: w -= rate * m (PyTorch); rate_inside: m += rate * g (TensorFlow, LARS)"),
             field("momentum", &SgdOptimizer::momentum, "share of the old step kept"),
             field("nesterov", &SgdOptimizer::nesterov, "look ahead"),
             field("weight_decay", &SgdOptimizer::weight_decay, "L2 decay added to the gradient of weights"),
             field("decay_bias", &SgdOptimizer::decay_bias, "decay biases too"),
             field("decay_norm", &SgdOptimizer::decay_norm, "decay normalisation scales and shifts too"));

  /// Appends the update of one parameter; makes its state variables "<parameter>.momentum".
  void update(Graph& graph, const UpdateInputs& in) const;
  /// The decay this parameter gets.
  double decay_of(Role role) const;
};

using Optimizer = std::variant<SgdOptimizer>;

/// Name and help of each optimizer, in the order of the variant.
std::vector<RecordInfo> all_optimizers();
void append_update(Graph& graph, const Optimizer& optimizer, const UpdateInputs& in);

}  // namespace lockstep
