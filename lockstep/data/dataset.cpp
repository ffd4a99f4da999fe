#include "lockstep/data/dataset.h"

namespace lockstep {

std::vector<StreamSpec> sample_streams(const Dataset& dataset) {
  return {{"image", dataset.image_type()},
          {"label", {DType::i32, {}}},
          {"mask", {DType::f32, {}}},
          {"sample_key", {DType::u64, {}}}};
}

}  // namespace lockstep
