#include "lockstep/models/resnet.h"

#include <fmt/format.h>

#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/pool.h"

namespace lockstep {
namespace {

constexpr int64_t bottleneck_expansion = 4;

struct Builder {
  const Resnet& net;
  Layers& layers;

  Value conv_norm(Value x, std::string_view conv_name, std::string_view norm_name, int64_t channels,
                  int64_t kernel, int64_t stride, int64_t groups = 1, double scale_init = 1) {
    ConvAttrs attrs{.strides = {stride, stride}, .groups = groups};
    int64_t pad = kernel / 2;
    attrs.pads = {pad, pad, pad, pad};
    return layers.batch_norm2d(layers.conv2d(x, conv_name, channels, kernel, attrs, net.init), norm_name,
                               scale_init);
  }

  Value shortcut(Value x, int64_t channels, int64_t stride) {
    if (x.shape()[1] == channels && stride == 1) return x;
    auto in = layers.scope("downsample");
    return conv_norm(x, "0", "1", channels, 1, stride);
  }

  Value basic(Value x, int64_t width, int64_t stride) {
    auto y = relu(conv_norm(x, "conv1", "bn1", width, 3, stride));
    y = conv_norm(y, "conv2", "bn2", width, 3, 1, 1, net.zero_gamma ? 0 : 1);
    return relu(add(y, shortcut(x, width, stride)));
  }

  Value bottleneck(Value x, int64_t width, int64_t stride) {
    auto y = relu(conv_norm(x, "conv1", "bn1", width, 1, 1));
    y = relu(conv_norm(y, "conv2", "bn2", width, 3, stride, net.groups));
    y = conv_norm(y, "conv3", "bn3", width * bottleneck_expansion, 1, 1, 1, net.zero_gamma ? 0 : 1);
    return relu(add(y, shortcut(x, width * bottleneck_expansion, stride)));
  }

  Value stem(Value x) {
    if (net.stem == ResnetStem::small) return relu(conv_norm(x, "conv1", "bn1", net.width, 3, 1));
    x = relu(conv_norm(x, "conv1", "bn1", net.width, 7, 2));
    return max_pool(x, {.window = {3, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}});
  }
};

}  // namespace

void Resnet::check() const {
  auto positive = [](std::string_view field_name, int64_t v) {
    if (v < 1)
      throw user_error(fmt::format("resnet: {} must be at least 1", field_name))
          .but(std::to_string(v), ">= 1");
  };
  positive("width", width);
  positive("groups", groups);
  positive("number of stages in blocks", static_cast<int64_t>(blocks.size()));
  for (auto b : blocks) positive("blocks", b);
  if (blocks.size() > 16)
    throw user_error("resnet: blocks has too many stages").but(std::to_string(blocks.size()), "<= 16");
  if (width > (1 << 20))
    throw user_error("resnet: width is too large").but(std::to_string(width), "<= 1048576");
  auto share = [](std::string_view field_name, double v, bool with_one) {
    if (!(v >= 0) || v > 1 || (v == 1 && !with_one))
      throw user_error(fmt::format("resnet: {} is out of range", field_name))
          .but(number_text(v), with_one ? "0..1" : "0 <= x < 1");
  };
  share("dropout", dropout, false);
  share("norm_momentum", norm_momentum, true);
  if (!(norm_eps >= 0 && norm_eps <= 1))
    throw user_error("resnet: norm_eps is out of range").but(number_text(norm_eps), "0..1");
  if (block == ResnetBlock::basic && groups != 1)
    throw user_error("resnet: groups need block = \"bottleneck\"");
}

Value Resnet::logits(Layers& layers, Value image, int64_t classes) const {
  check();
  Builder build{*this, layers};
  auto x = build.stem(image);
  for (size_t s = 0; s < blocks.size(); ++s) {
    for (int64_t b = 0; b < blocks[s]; ++b) {
      auto in = layers.scope(fmt::format("layer{}.{}", s + 1, b));
      int64_t stage_width = width << s, stride = s > 0 && b == 0 ? 2 : 1;
      x = block == ResnetBlock::basic ? build.basic(x, stage_width, stride)
                                      : build.bottleneck(x, stage_width, stride);
    }
  }
  x = layers.drop(layers.global_average_pool(x), "dropout", dropout);
  return layers.linear(x, "fc", classes, classifier_init);
}

}  // namespace lockstep
