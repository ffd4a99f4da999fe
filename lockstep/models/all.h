// The models, and the short names of published ones.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lockstep/models/mlp.h"
#include "lockstep/models/resnet.h"

namespace lockstep {

/// A family with its options; the alternatives are the list of families.
using Model = std::variant<Resnet, Mlp>;

struct NamedModel {
  std::string name, help;
  Model model;
  Type image;       ///< u8 (channels, height, width) it is published for
  int64_t classes;  ///< the same
};

/// Short names: resnet18, resnet50, ...
const std::vector<NamedModel>& named_models();
/// Family or short name; throws with did-you-mean.
const NamedModel& model_named(std::string_view name);

inline Value logits_of(const Model& model, Layers& layers, Value image, int64_t classes) {
  return std::visit([&](const auto& m) { return m.logits(layers, image, classes); }, model);
}
inline NormOptions norm_options_of(const Model& model) {
  return std::visit([](const auto& m) { return m.norm_options(); }, model);
}

}  // namespace lockstep
