#include "lockstep/targets/cpu/kernels/stem_conv.h"

#include <algorithm>

#include "lockstep/ops/conv.h"
#include "lockstep/targets/cpu/kernels/stem_loops.h"

namespace lockstep::cpu {
namespace {

constexpr int64_t most_channels = 4, most_taps = 8, parts_wanted = 16;

struct StemArgs {
  Ref x, dy, dw;
  Ref padded;   ///< (parts, C, padded height, padded width): an image with its border of zeros
  Ref partial;  ///< (parts, O/8, C, KH, KW, 8)
  int64_t channels, height, width, outputs, out_height, out_width;
  Window rows, columns;
  int64_t padded_height, padded_width;
  Cut cut;  ///< over images
  int64_t taps() const { return channels * rows.size * columns.size; }
  int64_t partial_floats() const { return outputs * taps(); }
  int64_t padded_floats() const { return channels * padded_height * padded_width; }
};

void pad_image(const StemArgs& a, const float* image, float* padded) {
  std::fill(padded, padded + a.padded_floats(), 0.0f);
  for (int64_t c = 0; c < a.channels; ++c)
    for (int64_t i = 0; i < a.height; ++i) {
      const float* from = image + (c * a.height + i) * a.width;
      std::copy(from, from + a.width,
                padded + (c * a.padded_height + i + a.rows.pad_begin) * a.padded_width + a.columns.pad_begin);
    }
}

void images_part(const StemArgs& a, const Frame& f, int64_t part) noexcept {
  float* padded = f.at<float>(a.padded) + part * a.padded_floats();
  float* sums = f.at<float>(a.partial) + part * a.partial_floats();
  std::fill(sums, sums + a.partial_floats(), 0.0f);
  for (int64_t n = a.cut.begin(part); n < a.cut.end(part); ++n) {
    pad_image(a, f.at<const float>(a.x) + n * a.channels * a.height * a.width, padded);
    for (int64_t o = 0; o < a.outputs; o += block) {
      const float* dy = f.at<const float>(a.dy) + (n * a.outputs + o) * a.out_height * a.out_width;
      for (int64_t c = 0; c < a.channels; ++c)
        for (int64_t u = 0; u < a.rows.size; ++u)
          for (int64_t v = 0; v < a.columns.size; v += most_taps) {
            const float* x = padded + (c * a.padded_height + u * a.rows.dilation) * a.padded_width +
                             v * a.columns.dilation;
            float* to = sums + o * a.taps() + ((c * a.rows.size + u) * a.columns.size + v) * block;
            stem_taps(x, a.rows.stride * a.padded_width, a.columns.stride, a.columns.dilation, dy,
                      a.out_height, a.out_width, std::min(most_taps, a.columns.size - v), to);
          }
    }
  }
}

/// Parts added in their order; (O/8, taps, 8) -> (O, taps).
void sum_part(const StemArgs& a, const Frame& f, int64_t) noexcept {
  const float* partial = f.at<const float>(a.partial);
  float* dw = f.at<float>(a.dw);
  for (int64_t o = 0; o < a.outputs; ++o)
    for (int64_t t = 0; t < a.taps(); ++t) {
      int64_t at = (o / block * a.taps() + t) * block + o % block;
      float sum = 0;
      for (int64_t p = 0; p < a.cut.parts; ++p) sum += partial[p * a.partial_floats() + at];
      dw[o * a.taps() + t] = sum;
    }
}

Fit fits(const GroupView& g) {
  const auto& s = g.step();
  auto x = g.type(s.reads[0]);
  if (x.dtype != DType::f32) return no("not f32");
  if (x.elements() == 0 || g.type(s.reads[1]).elements() == 0) return no("empty tensor");
  if (x.shape[1] > most_channels) return no("more than four input channels: not a first convolution");
  if (g.attrs<ConvBackwardWeights>().groups != 1) return no("groups");
  if (g.layout(s.reads[0]) != Layout::plain) return no("x is not in plain layout");
  if (g.layout(s.reads[1]) != Layout::blocked) return no("dy is not in blocked layout");
  return yes();
}

void lower(const GroupView& g, CallSink& sink) {
  const auto& s = g.step();
  const auto& attrs = g.attrs<ConvBackwardWeights>();
  auto x = g.type(s.reads[0]).shape, dy = g.type(s.reads[1]).shape, dw = g.type(s.writes[0]).shape;
  auto windows =
      make_windows("conv", x, {dw[2], dw[3]}, attrs.strides, attrs.dilations, attrs.padding, attrs.pads);
  StemArgs a;
  a.x = sink.ref(s.reads[0]);
  a.dy = sink.ref(s.reads[1]);
  a.dw = sink.ref(s.writes[0]);
  a.channels = x[1], a.height = x[2], a.width = x[3];
  a.outputs = dy[1], a.out_height = dy[2], a.out_width = dy[3];
  a.rows = windows[0], a.columns = windows[1];
  // Wide enough for the last output pixel as well, which may reach past an uneven border.
  a.padded_height = std::max(x[2] + a.rows.pad_begin, (dy[2] - 1) * a.rows.stride + a.rows.reach());
  a.padded_width = std::max(x[3] + a.columns.pad_begin, (dy[3] - 1) * a.columns.stride + a.columns.reach());
  a.cut = Cut(x[0], std::max<int64_t>(1, x[0] / parts_wanted));
  a.padded = sink.scratch(a.cut.parts * a.padded_floats() * 4);
  a.partial = sink.scratch(a.cut.parts * a.partial_floats() * 4);
  sink.emit<images_part>(a, a.cut.parts);
  sink.emit<sum_part>(a, 1);
}

}  // namespace

Kernel stem_conv_backward_weights_kernel() {
  return {"stem_conv_backward_weights", {"conv_backward_weights"}, fits, lower};
}

}  // namespace lockstep::cpu
