#include <algorithm>
#include <array>
#include <cmath>

#include "lockstep/ops/batch_norm.h"
#include "lockstep/targets/cpu/kernels/batch_norm.h"
#include "lockstep/targets/cpu/kernels/norm_loops.h"

namespace lockstep::cpu {
namespace {

constexpr int most_incoming = 4;

/// With g the gradient at batch norm's output, M pixels and r = 1/sqrt(var + eps):
///   dshift = sum g;  dscale = r * sum g (x - mean);
///   dx = a g + b x + e,  a = scale r,  b = -a r dscale / M,  e = -a dshift / M - b mean.
struct BackwardArgs {
  std::array<Ref, most_incoming> incoming;
  int parts_in = 0;
  Ref relu_output;  ///< empty without ReLU
  Ref gradient;     ///< empty when nobody else wants it
  Ref x, scale, mean, var, dx, dscale, dshift;
  Ref partial;  ///< (parts, 2, C): sum and dot
  Ref a, b, e;  ///< (C)
  int64_t channels, area, count;
  double eps;
  Cut cut;
  int64_t image() const { return channels * area; }
};

/// Pointers of one image and channel block.
struct Place {
  std::array<const float*, most_incoming> incoming{};
  const float* relu_output = nullptr;
  Place(const BackwardArgs& a, const Frame& f, int64_t at) {
    for (int k = 0; k < a.parts_in; ++k) incoming[k] = f.at<const float>(a.incoming[k]) + at;
    if (a.relu_output) relu_output = f.at<const float>(a.relu_output) + at;
  }
};

void sums_part(const BackwardArgs& a, const Frame& f, int64_t part) noexcept {
  float* sum = f.at<float>(a.partial) + part * 2 * a.channels;
  float* dot = sum + a.channels;
  std::fill(sum, sum + 2 * a.channels, 0.0f);
  const float *x = f.at<const float>(a.x), *mean = f.at<const float>(a.mean);
  float* gradient = a.gradient ? f.at<float>(a.gradient) : nullptr;
  for (int64_t n = a.cut.begin(part); n < a.cut.end(part); ++n)
    for (int64_t c = 0; c < a.channels; c += block) {
      int64_t at = n * a.image() + c * a.area;
      Place place(a, f, at);
      norm_backward_sums(place.incoming.data(), a.parts_in, place.relu_output, x + at, mean + c,
                         gradient != nullptr ? gradient + at : nullptr, a.area, sum + c, dot + c);
    }
}

void coefficients_part(const BackwardArgs& a, const Frame& f, int64_t) noexcept {
  const float *partial = f.at<const float>(a.partial), *scale = f.at<const float>(a.scale),
              *mean = f.at<const float>(a.mean), *var = f.at<const float>(a.var);
  float *dscale = f.at<float>(a.dscale), *dshift = f.at<float>(a.dshift), *ca = f.at<float>(a.a),
        *cb = f.at<float>(a.b), *ce = f.at<float>(a.e);
  for (int64_t c = 0; c < a.channels; ++c) {
    double sum = 0, dot = 0;
    for (int64_t p = 0; p < a.cut.parts; ++p) {
      sum += partial[p * 2 * a.channels + c];
      dot += partial[(p * 2 + 1) * a.channels + c];
    }
    double r = 1 / std::sqrt(var[c] + a.eps), k = scale[c] * r, m = static_cast<double>(a.count);
    double b = -k * r * r * dot / m;
    dshift[c] = static_cast<float>(sum);
    dscale[c] = static_cast<float>(r * dot);
    ca[c] = static_cast<float>(k);
    cb[c] = static_cast<float>(b);
    ce[c] = static_cast<float>(-k * sum / m - b * mean[c]);
  }
}

void apply_part(const BackwardArgs& a, const Frame& f, int64_t part) noexcept {
  const float *x = f.at<const float>(a.x), *ca = f.at<const float>(a.a), *cb = f.at<const float>(a.b),
              *ce = f.at<const float>(a.e);
  const float* gradient = a.gradient ? f.at<const float>(a.gradient) : nullptr;
  float* dx = f.at<float>(a.dx);
  for (int64_t n = a.cut.begin(part); n < a.cut.end(part); ++n)
    for (int64_t c = 0; c < a.channels; c += block) {
      int64_t at = n * a.image() + c * a.area;
      Place place(a, f, at);
      norm_backward_apply(gradient != nullptr ? gradient + at : nullptr, place.incoming.data(), a.parts_in,
                          place.relu_output, x + at, ca + c, cb + c, ce + c, dx + at, a.area);
    }
}

/// What flows in: the parts of a leading sum_n, or the one gradient operand.
Operands incoming_of(const GroupView& g) {
  if (g.size() == 3) return g.step(0).reads;
  return {g.step(0).reads[0]};
}

const Step* relu_of(const GroupView& g) { return g.size() == 1 ? nullptr : &g.step(g.size() - 2); }

Fit fits(const GroupView& g) {
  const auto& bn = g.step(g.size() - 1);
  if (g.type(bn.reads[1]).dtype != DType::f32) return no("not f32");
  auto in = incoming_of(g);
  if (in.size() > most_incoming) return no("more than four gradients are summed");
  in.push_back(bn.reads[1]);
  in.push_back(bn.writes[0]);
  if (const auto* relu = relu_of(g)) in.push_back(relu->reads[1]);
  for (const auto& o : in)
    if (g.layout(o) != Layout::blocked)
      return no("an operand is not in blocked layout (4 axes, channels a multiple of 8)");
  return yes();
}

void lower(const GroupView& g, CallSink& sink) {
  const auto& bn = g.step(g.size() - 1);  // (dy, x, scale, mean, var) -> (dx, dscale, dshift)
  auto shape = g.type(bn.reads[1]).shape;
  BackwardArgs a;
  for (const auto& o : incoming_of(g)) a.incoming[a.parts_in++] = sink.ref(o);
  if (const auto* relu = relu_of(g)) {
    a.relu_output = sink.ref(relu->reads[1]);
    if (g.is_needed_outside(relu->writes[0])) a.gradient = sink.ref(relu->writes[0]);
  }
  a.x = sink.ref(bn.reads[1]);
  a.scale = sink.ref(bn.reads[2]);
  a.mean = sink.ref(bn.reads[3]);
  a.var = sink.ref(bn.reads[4]);
  a.dx = sink.ref(bn.writes[0]);
  a.dscale = sink.ref(bn.writes[1]);
  a.dshift = sink.ref(bn.writes[2]);
  a.channels = shape[1];
  a.area = shape[2] * shape[3];
  a.count = shape[0] * a.area;
  a.eps = g.attrs<BatchNormBackward>(g.size() - 1).eps;
  a.cut = image_cut(shape);
  a.partial = sink.scratch(a.cut.parts * 2 * a.channels * 4);
  for (auto* r : {&a.a, &a.b, &a.e}) *r = sink.scratch(a.channels * 4);
  sink.emit<sums_part>(a, a.cut.parts);
  sink.emit<coefficients_part>(a, 1);
  sink.emit<apply_part>(a, a.cut.parts);
}

}  // namespace

std::vector<Kernel> batch_norm_backward_kernels() {
  return {
      {"sum_relu_batch_norm_backward", {"sum_n", "relu_backward", "batch_norm_backward"}, fits, lower},
      {"relu_batch_norm_backward", {"relu_backward", "batch_norm_backward"}, fits, lower},
      {"batch_norm_backward", {"batch_norm_backward"}, fits, lower},
  };
}

}  // namespace lockstep::cpu
