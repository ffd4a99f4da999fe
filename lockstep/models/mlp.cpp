#include "lockstep/models/mlp.h"

#include <fmt/format.h>

#include "lockstep/ops/elementwise.h"

namespace lockstep {

void Mlp::check() const {
  for (auto h : hidden)
    if (h < 1) throw user_error("mlp: hidden must be at least 1").but(std::to_string(h), ">= 1");
  if (!(dropout >= 0 && dropout < 1))
    throw user_error("mlp: dropout is out of range").but(number_text(dropout), "0 <= x < 1");
}

Value Mlp::logits(Layers& layers, Value image, int64_t classes) const {
  check();
  auto x = layers.flatten(image);
  for (size_t i = 0; i < hidden.size(); ++i) {
    x = relu(layers.linear(x, fmt::format("fc{}", i + 1), hidden[i], WeightInit::torch_linear));
    x = layers.drop(x, fmt::format("dropout{}", i + 1), dropout);
  }
  return layers.linear(x, "fc", classes, WeightInit::torch_linear);
}

}  // namespace lockstep
