// Convolution over (batch, channels, height, width) and its two derivatives.
#pragma once

#include <array>

#include "lockstep/ir/graph.h"

namespace lockstep {

/// How the border is filled with zeros. `same_upper`/`same_lower`: output = ceil(input / stride), an odd zero
/// at the end / at the beginning (ONNX auto_pad, TensorFlow SAME = same_upper); `pads` is ignored then.
enum class Padding { given, valid, same_upper, same_lower };
inline std::vector<std::string_view> names_of(Padding) {
  return {"given", "valid", "same_upper", "same_lower"};
}

/// Shared by convolution and pooling windows.
struct Window {
  int64_t size = 1, stride = 1, pad_begin = 0, pad_end = 0, dilation = 1;
  int64_t reach() const { return (size - 1) * dilation + 1; }
  int64_t output(int64_t input) const { return (input + pad_begin + pad_end - reach()) / stride + 1; }
};
/// Resolves padding along one axis.
Window make_window(int64_t input, int64_t size, int64_t stride, int64_t dilation, Padding padding,
                   int64_t pad_begin, int64_t pad_end);

/// Windows along height and width of x (N, C, H, W). Refuses, in the name of `op`, lists of the wrong length,
/// sizes that are not positive, and a window larger than the padded input. `size` is {KH, KW}; pads as in
/// ConvAttrs.
std::array<Window, 2> make_windows(std::string_view op, const Shape& x, const Shape& size,
                                   const Shape& strides, const Shape& dilations, Padding padding,
                                   const Shape& pads);

/// Attributes of a convolution; pads are {top, left, bottom, right}.
struct ConvAttrs {
  Shape strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
  int64_t groups = 1;
  Padding padding = Padding::given;
};

/// y[n,o,i,j] = sum over c,u,v of x[n, g*C/G + c, i*s - p + u*d, j*s - p + v*d] * w[o,c,u,v], g = group of o.
/// x (N, C, H, W), w (O, C / groups, KH, KW) -> y (N, O, OH, OW). No bias.
struct Conv : ConvAttrs {
  static constexpr OpInfo info{"conv", {"x", "w"}, {"y"}};
  static constexpr auto attrs = fields(field("strides", &Conv::strides), field("pads", &Conv::pads),
                                       field("dilations", &Conv::dilations), field("groups", &Conv::groups),
                                       field("padding", &Conv::padding));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// dx[x index] += dy[y index] * w[w index] over all terms of the convolution of an x of `input_shape` with w.
/// dy (N, O, OH, OW), w (O, C / groups, KH, KW) -> dx (N, C, H, W) = input_shape. Linear in dy and in w.
struct ConvBackwardData : ConvAttrs {
  Shape input_shape;
  static constexpr OpInfo info{"conv_backward_data", {"dy", "w"}, {"dx"}};
  static constexpr auto attrs = fields(
      field("strides", &ConvBackwardData::strides), field("pads", &ConvBackwardData::pads),
      field("dilations", &ConvBackwardData::dilations), field("groups", &ConvBackwardData::groups),
      field("padding", &ConvBackwardData::padding), field("input_shape", &ConvBackwardData::input_shape));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

/// dw[w index] += x[x index] * dy[y index] over all terms of the convolution of x with a w of `kernel_shape`.
/// x (N, C, H, W), dy (N, O, OH, OW) -> dw (O, C / groups, KH, KW) = kernel_shape. Linear in x and in dy.
struct ConvBackwardWeights : ConvAttrs {
  Shape kernel_shape;
  static constexpr OpInfo info{"conv_backward_weights", {"x", "dy"}, {"dw"}};
  static constexpr auto attrs =
      fields(field("strides", &ConvBackwardWeights::strides), field("pads", &ConvBackwardWeights::pads),
             field("dilations", &ConvBackwardWeights::dilations),
             field("groups", &ConvBackwardWeights::groups), field("padding", &ConvBackwardWeights::padding),
             field("kernel_shape", &ConvBackwardWeights::kernel_shape));
  Types infer(const Types& in) const;
  Values grad(NodeView n, const Values& dy) const;
  void eval(Args a) const;
  Cost cost(const Types& in) const;
  static OpCases cases();
};

Value conv(Value x, Value w, ConvAttrs attrs = {}, Site site = {});
Value conv_backward_data(Value dy, Value w, Shape input_shape, ConvAttrs attrs = {}, Site site = {});
Value conv_backward_weights(Value x, Value dy, Shape kernel_shape, ConvAttrs attrs = {}, Site site = {});

}  // namespace lockstep
