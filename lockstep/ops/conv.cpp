#include "lockstep/ops/conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/ops/require.h"

namespace lockstep {

Window make_window(int64_t input, int64_t size, int64_t stride, int64_t dilation, Padding padding,
                   int64_t pad_begin, int64_t pad_end) {
  Window window{size, stride, pad_begin, pad_end, dilation};
  if (padding == Padding::given) return window;
  window.pad_begin = window.pad_end = 0;
  if (padding == Padding::valid) return window;
  int64_t outputs = (input + stride - 1) / stride;
  int64_t total = std::max<int64_t>(0, (outputs - 1) * stride + window.reach() - input);
  int64_t less = total / 2, more = total - less;
  window.pad_begin = padding == Padding::same_upper ? less : more;
  window.pad_end = padding == Padding::same_upper ? more : less;
  return window;
}

namespace {

/// Larger numbers have no use and their products would leave int64.
constexpr int64_t largest = int64_t{1} << 30;

void check_list(std::string_view op, std::string_view name, const Shape& list, size_t count, int64_t least) {
  if (list.size() != count)
    refuse(op, fmt::format("{} needs {} numbers", name, count), shape_text(list),
           count == 4 ? "[top,left,bottom,right]" : "[height,width]");
  for (auto v : list)
    if (v < least || v > largest)
      refuse(op, fmt::format("{} is out of range", name), shape_text(list),
             fmt::format("{}..{}", least, largest));
}

}  // namespace

std::array<Window, 2> make_windows(std::string_view op, const Shape& x, const Shape& size,
                                   const Shape& strides, const Shape& dilations, Padding padding,
                                   const Shape& pads) {
  check_list(op, "kernel size", size, 2, 1);
  check_list(op, "strides", strides, 2, 1);
  check_list(op, "dilations", dilations, 2, 1);
  check_list(op, "pads", pads, 4, 0);
  std::array<Window, 2> windows;
  for (size_t axis = 0; axis < 2; ++axis) {
    int64_t input = x[2 + axis];
    Window w =
        make_window(input, size[axis], strides[axis], dilations[axis], padding, pads[axis], pads[2 + axis]);
    int64_t padded = input + w.pad_begin + w.pad_end;
    std::string_view name = axis == 0 ? "height" : "width";
    if (padded < w.reach())
      refuse(
          op, fmt::format("the kernel is larger than the padded {} of x", name),
          fmt::format("kernel {}{} over {} = {} + padding {} + {}", w.size,
                      w.dilation > 1 ? fmt::format(" (dilated {} reaching {})", w.dilation, w.reach()) : "",
                      padded, input, w.pad_begin, w.pad_end),
          fmt::format("at least {}", w.reach()));
    windows[axis] = w;
  }
  return windows;
}

namespace {

/// The sizes of one convolution, whichever of x, w, y is computed.
struct Geometry {
  Shape x, w, y;
  std::array<Window, 2> windows;
};

Geometry geometry_of(std::string_view op, const ConvAttrs& a, const Shape& x, const Shape& w) {
  if (x.size() != 4)
    refuse(op, fmt::format("x has {} axes", x.size()), shape_text(x), "(batch, channels, height, width)");
  if (w.size() != 4)
    refuse(op, fmt::format("w has {} axes", w.size()), shape_text(w),
           "(out channels, in channels / groups, height, width)");
  for (const auto* s : {&x, &w})
    for (auto v : *s)
      if (v < 0) refuse(op, "a size is negative", shape_text(*s));
  if (a.groups < 1) refuse(op, "groups must be positive", std::to_string(a.groups));
  if (x[1] % a.groups != 0)
    refuse(op, fmt::format("the {} channels of x do not divide into {} groups", x[1], a.groups),
           shape_text(x));
  if (w[0] % a.groups != 0)
    refuse(op, fmt::format("the {} out channels of w do not divide into {} groups", w[0], a.groups),
           shape_text(w));
  if (w[1] != x[1] / a.groups)
    refuse(op,
           fmt::format("w does not fit the {} channels of x in {} group{}", x[1], a.groups,
                       a.groups == 1 ? "" : "s"),
           fmt::format("w {}", shape_text(w)),
           fmt::format("w [{},{},{},{}]", w[0], x[1] / a.groups, w[2], w[3]));
  Geometry g{x, w, {}, make_windows(op, x, {w[2], w[3]}, a.strides, a.dilations, a.padding, a.pads)};
  g.y = {x[0], w[0], g.windows[0].output(x[2]), g.windows[1].output(x[3])};
  return g;
}

/// visit(index in y, index in x, index in w) for every product of the sum that defines the convolution.
template <class Visit>
void for_each_term(const Geometry& g, int64_t groups, Visit visit) {
  auto [h, v] = g.windows;
  int64_t in_group = g.w[1], out_group = g.w[0] / groups;
  for (int64_t n = 0; n < g.y[0]; ++n)
    for (int64_t o = 0; o < g.y[1]; ++o)
      for (int64_t i = 0; i < g.y[2]; ++i)
        for (int64_t j = 0; j < g.y[3]; ++j)
          for (int64_t c = 0; c < in_group; ++c)
            for (int64_t ku = 0; ku < h.size; ++ku)
              for (int64_t kv = 0; kv < v.size; ++kv) {
                int64_t row = i * h.stride - h.pad_begin + ku * h.dilation;
                int64_t column = j * v.stride - v.pad_begin + kv * v.dilation;
                if (row < 0 || row >= g.x[2] || column < 0 || column >= g.x[3]) continue;
                int64_t channel = o / out_group * in_group + c;
                visit(((n * g.y[1] + o) * g.y[2] + i) * g.y[3] + j,
                      ((n * g.x[1] + channel) * g.x[2] + row) * g.x[3] + column,
                      ((o * g.w[1] + c) * g.w[2] + ku) * g.w[3] + kv);
              }
}

Cost cost_of(const Geometry& g, const Types& in, const Types& out) {
  Cost cost = streaming_cost(in, out, 0);
  cost.flops = 2.0 * static_cast<double>(elements(g.y)) * static_cast<double>(g.w[1] * g.w[2] * g.w[3]);
  return cost;
}

struct ConvCase {
  ConvAttrs attrs;
  Shape x, w;
};

/// The sizes that convolution and both derivatives are tested with: plain, padded, strided, asymmetric,
/// dilated, grouped, depthwise, SAME, size 1, and an empty batch.
std::vector<ConvCase> conv_cases() {
  using P = Padding;
  return {{{}, {2, 3, 5, 4}, {4, 3, 3, 3}},
          {{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1, P::given}, {1, 2, 7, 6}, {3, 2, 3, 3}},
          {{{1, 2}, {2, 1, 0, 3}, {1, 1}, 1, P::given}, {1, 2, 5, 6}, {3, 2, 3, 2}},
          {{{1, 1}, {2, 0, 2, 0}, {2, 3}, 1, P::given}, {1, 1, 5, 7}, {2, 1, 3, 2}},
          {{{2, 1}, {1, 1, 1, 1}, {1, 1}, 2, P::given}, {2, 4, 5, 3}, {6, 2, 3, 3}},
          {{{1, 1}, {1, 1, 1, 1}, {1, 1}, 3, P::given}, {1, 3, 4, 3}, {3, 1, 3, 3}},
          {{{2, 2}, {0, 0, 0, 0}, {1, 1}, 1, P::same_upper}, {1, 1, 7, 5}, {2, 1, 2, 3}},
          {{{2, 3}, {0, 0, 0, 0}, {1, 2}, 1, P::same_lower}, {1, 2, 6, 5}, {1, 2, 3, 2}},
          {{{2, 2}, {9, 9, 9, 9}, {1, 1}, 1, P::valid}, {1, 2, 5, 5}, {2, 2, 1, 1}},
          {{}, {1, 1, 1, 1}, {1, 1, 1, 1}},
          {{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1, P::given}, {0, 2, 3, 3}, {2, 2, 3, 3}}};
}

/// make(attributes, x type, w type, y type) -> case, in f32 and f64.
template <class Make>
OpCases cases_of(Make make) {
  OpCases cases;
  for (const auto& c : conv_cases())
    for (auto dtype : {DType::f32, DType::f64}) {
      auto g = geometry_of("conv", c.attrs, c.x, c.w);
      cases.push_back(make(c.attrs, Type{dtype, g.x}, Type{dtype, g.w}, Type{dtype, g.y}));
    }
  return cases;
}

}  // namespace

// ---- conv
// ---------------------------------------------------------------------------------------------------

Types Conv::infer(const Types& in) const {
  require_float(info, in, 0);
  require_dtype(info, in, 1, in[0].dtype, "x");
  return {{in[0].dtype, geometry_of(info.name, *this, in[0].shape, in[1].shape).y}};
}

Values Conv::grad(NodeView n, const Values& dy) const {
  auto x = n.in(0), w = n.in(1);
  return {conv_backward_data(dy[0], w, x.shape(), *this), conv_backward_weights(x, dy[0], w.shape(), *this)};
}

void Conv::eval(Args a) const {
  const auto &x = a.in[0]->real, &w = a.in[1]->real;
  auto& y = a.out[0]->real;
  auto g = geometry_of(info.name, *this, a.in[0]->shape(), a.in[1]->shape());
  for_each_term(g, groups, [&](int64_t iy, int64_t ix, int64_t iw) { y[iy] += x[ix] * w[iw]; });
}

Cost Conv::cost(const Types& in) const {
  return cost_of(geometry_of(info.name, *this, in[0].shape, in[1].shape), in, infer(in));
}

OpCases Conv::cases() {
  return cases_of([](const ConvAttrs& a, const Type& x, const Type& w, const Type&) {
    return op_case(Conv{a}, {x, w});
  });
}

Value conv(Value x, Value w, ConvAttrs attrs, Site site) {
  return emit_one(Conv{std::move(attrs)}, {x, w}, site);
}

// ---- conv_backward_data
// -------------------------------------------------------------------------------------

Types ConvBackwardData::infer(const Types& in) const {
  require_float(info, in, 0);
  require_dtype(info, in, 1, in[0].dtype, "dy");
  auto g = geometry_of(info.name, *this, input_shape, in[1].shape);
  require_type(info, in, 0, {in[0].dtype, g.y}, "input_shape and w");
  return {{in[0].dtype, input_shape}};
}

Values ConvBackwardData::grad(NodeView n, const Values& dy) const {
  auto ddx = dy[0], w = n.in(1);
  return {conv(ddx, w, *this), conv_backward_weights(ddx, n.in(0), w.shape(), *this)};
}

void ConvBackwardData::eval(Args a) const {
  const auto &dy = a.in[0]->real, &w = a.in[1]->real;
  auto& dx = a.out[0]->real;
  auto g = geometry_of(info.name, *this, input_shape, a.in[1]->shape());
  for_each_term(g, groups, [&](int64_t iy, int64_t ix, int64_t iw) { dx[ix] += dy[iy] * w[iw]; });
}

Cost ConvBackwardData::cost(const Types& in) const {
  return cost_of(geometry_of(info.name, *this, input_shape, in[1].shape), in, infer(in));
}

OpCases ConvBackwardData::cases() {
  return cases_of([](const ConvAttrs& a, const Type& x, const Type& w, const Type& y) {
    return op_case(ConvBackwardData{a, x.shape}, {y, w});
  });
}

Value conv_backward_data(Value dy, Value w, Shape input_shape, ConvAttrs attrs, Site site) {
  return emit_one(ConvBackwardData{std::move(attrs), std::move(input_shape)}, {dy, w}, site);
}

// ---- conv_backward_weights
// ----------------------------------------------------------------------------------

Types ConvBackwardWeights::infer(const Types& in) const {
  require_float(info, in, 0);
  require_dtype(info, in, 1, in[0].dtype, "x");
  auto g = geometry_of(info.name, *this, in[0].shape, kernel_shape);
  require_type(info, in, 1, {in[0].dtype, g.y}, "x and kernel_shape");
  return {{in[0].dtype, kernel_shape}};
}

Values ConvBackwardWeights::grad(NodeView n, const Values& dy) const {
  auto ddw = dy[0], x = n.in(0);
  return {conv_backward_data(n.in(1), ddw, x.shape(), *this), conv(x, ddw, *this)};
}

void ConvBackwardWeights::eval(Args a) const {
  const auto &x = a.in[0]->real, &dy = a.in[1]->real;
  auto& dw = a.out[0]->real;
  auto g = geometry_of(info.name, *this, a.in[0]->shape(), kernel_shape);
  for_each_term(g, groups, [&](int64_t iy, int64_t ix, int64_t iw) { dw[iw] += x[ix] * dy[iy]; });
}

Cost ConvBackwardWeights::cost(const Types& in) const {
  return cost_of(geometry_of(info.name, *this, in[0].shape, kernel_shape), in, infer(in));
}

OpCases ConvBackwardWeights::cases() {
  return cases_of([](const ConvAttrs& a, const Type& x, const Type& w, const Type& y) {
    return op_case(ConvBackwardWeights{a, w.shape}, {x, y});
  });
}

Value conv_backward_weights(Value x, Value dy, Shape kernel_shape, ConvAttrs attrs, Site site) {
  return emit_one(ConvBackwardWeights{std::move(attrs), std::move(kernel_shape)}, {x, dy}, site);
}

}  // namespace lockstep
