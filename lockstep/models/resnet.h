// ResNet v1.5 (He et al., arXiv 1512.03385; stride on the 3x3 of a bottleneck, as MLPerf's reference and
// torchvision).
#pragma once

#include "lockstep/models/layers.h"

namespace lockstep {

enum class ResnetBlock { basic, bottleneck };
inline std::vector<std::string_view> names_of(ResnetBlock) { return {"basic", "bottleneck"}; }
/// imagenet: 7x7/2 convolution and 3x3/2 max-pool; small: one 3x3/1 convolution, for images of about 32
/// pixels.
enum class ResnetStem { imagenet, small };
inline std::vector<std::string_view> names_of(ResnetStem) { return {"imagenet", "small"}; }

/// Names are torchvision's: conv1, bn1, layer1.0.conv1 ... layer1.0.downsample.0, fc.
struct Resnet {
  ResnetBlock block = ResnetBlock::basic;
  ResnetStem stem = ResnetStem::small;
  std::vector<int64_t> blocks{
      1, 1, 1};             ///< residual blocks per stage; each stage doubles the width and halves the image
  int64_t width = 16;       ///< channels of the first stage (inner width of a bottleneck)
  int64_t groups = 1;       ///< groups of the 3x3 in a bottleneck
  bool zero_gamma = false;  ///< last batch norm of a block starts at 0
  double dropout = 0;       ///< before the classifier
  NormConvention norm = NormConvention::torch;
  double norm_momentum = 0.1;
  double norm_eps = 1e-5;
  WeightInit init = WeightInit::he_fan_out;
  WeightInit classifier_init = WeightInit::torch_linear;

  static constexpr std::string_view name = "resnet", help = "residual networks for images";
  static constexpr auto attrs =
      fields(field("block", &Resnet::block, "basic (two 3x3) or bottleneck (1x1, 3x3, 1x1)"),
             field("stem", &Resnet::stem, "imagenet or small"),
             field("blocks", &Resnet::blocks, "residual blocks per stage"),
             field("width", &Resnet::width, "channels of the first stage"),
             field("groups", &Resnet::groups, "groups of the bottleneck's 3x3"),
             field("zero_gamma", &Resnet::zero_gamma, "last norm of a block starts at 0"),
             field("dropout", &Resnet::dropout, "rate before the classifier"),
             field("norm", &Resnet::norm, "torch or tensorflow running variance"),
             field("norm_momentum", &Resnet::norm_momentum, "share of the new batch in running statistics"),
             field("norm_eps", &Resnet::norm_eps, "added to the variance"),
             field("init", &Resnet::init, "convolution weights"),
             field("classifier_init", &Resnet::classifier_init, "classifier weights"));

  NormOptions norm_options() const { return {norm, norm_momentum, norm_eps}; }
  /// image f32 (batch, channels, height, width), normalised -> logits (batch, classes).
  Value logits(Layers& layers, Value image, int64_t classes) const;
  void check() const;  ///< throws a user error naming the field
};

}  // namespace lockstep
