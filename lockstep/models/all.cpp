#include "lockstep/models/all.h"

#include <fmt/format.h>

namespace lockstep {
namespace {

Resnet small(std::vector<int64_t> blocks, int64_t width) {
  Resnet net;
  net.blocks = std::move(blocks);
  net.width = width;
  return net;
}

/// MLPerf's conventions: biased running variance, decay 0.9, he_normal, classifier normal(0, 0.01).
Resnet imagenet(ResnetBlock block, std::vector<int64_t> blocks) {
  Resnet net = small(std::move(blocks), 64);
  net.block = block;
  net.stem = ResnetStem::imagenet;
  net.norm = NormConvention::tensorflow;
  net.init = WeightInit::he_normal;
  net.classifier_init = WeightInit::normal_001;
  return net;
}

std::vector<NamedModel> make_list() {
  const Type photo{DType::u8, {3, 224, 224}}, glyph{DType::u8, {1, 28, 28}},
      thumbnail{DType::u8, {3, 32, 32}};
  using enum ResnetBlock;
  return {
      {"resnet", "residual network for small images, options in [model]", Resnet{}, glyph, 10},
      {"mlp", "multi-layer perceptron, options in [model]", Mlp{}, glyph, 10},
      {"resnet8", "8 layers for small images, width 16", small({1, 1, 1}, 16), glyph, 10},
      {"resnet20", "20 layers for small images, width 16", small({3, 3, 3}, 16), thumbnail, 10},
      {"resnet18", "ResNet-18 v1.5", imagenet(basic, {2, 2, 2, 2}), photo, 1000},
      {"resnet34", "ResNet-34 v1.5", imagenet(basic, {3, 4, 6, 3}), photo, 1000},
      {"resnet50", "ResNet-50 v1.5, MLPerf's definition", imagenet(bottleneck, {3, 4, 6, 3}), photo, 1000},
      {"resnet101", "ResNet-101 v1.5", imagenet(bottleneck, {3, 4, 23, 3}), photo, 1000},
      {"resnet152", "ResNet-152 v1.5", imagenet(bottleneck, {3, 8, 36, 3}), photo, 1000},
  };
}

}  // namespace

const std::vector<NamedModel>& named_models() {
  static const std::vector<NamedModel> list = make_list();
  return list;
}

const NamedModel& model_named(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& m : named_models()) {
    if (m.name == name) return m;
    names.push_back(m.name);
  }
  throw user_error(fmt::format("unknown model '{}'{}", name, did_you_mean(name, names)))
      .but(std::string(name), join(names, ", "))
      .advise("lockstep models lists them");
}

}  // namespace lockstep
