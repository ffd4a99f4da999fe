#include "lockstep/ops/pool.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "lockstep/ops/require.h"

namespace lockstep {
namespace {

struct Geometry {
  Shape x, y;
  std::array<Window, 2> windows;
  int64_t window_size() const { return windows[0].size * windows[1].size; }
};

Geometry geometry_of(std::string_view op, const PoolAttrs& a, const Shape& x) {
  if (x.size() != 4)
    refuse(op, fmt::format("x has {} axes", x.size()), shape_text(x), "(batch, channels, height, width)");
  for (auto v : x)
    if (v < 0) refuse(op, "a size is negative", shape_text(x));
  if (x[2] == 0 || x[3] == 0) refuse(op, "x has an empty height or width", shape_text(x));
  Geometry g{x, {}, make_windows(op, x, a.window, a.strides, {1, 1}, a.padding, a.pads)};
  for (const auto& w : g.windows)
    if (w.pad_begin >= w.size || w.pad_end >= w.size)
      refuse(op, "pads as wide as the window leave windows with nothing in them", shape_text(a.pads),
             fmt::format("less than window {}", shape_text(a.window)));
  g.y = {x[0], x[1], g.windows[0].output(x[2]), g.windows[1].output(x[3])};
  return g;
}

/// visit(index in y, indices in x of the window's places inside x, in row order).
template <class Visit>
void for_each_window(const Geometry& g, Visit visit) {
  auto [h, w] = g.windows;
  std::vector<int64_t> places;
  int64_t iy = 0;
  for (int64_t plane = 0; plane < g.y[0] * g.y[1]; ++plane)
    for (int64_t i = 0; i < g.y[2]; ++i)
      for (int64_t j = 0; j < g.y[3]; ++j, ++iy) {
        places.clear();
        for (int64_t u = 0; u < h.size; ++u)
          for (int64_t v = 0; v < w.size; ++v) {
            int64_t row = i * h.stride - h.pad_begin + u, column = j * w.stride - w.pad_begin + v;
            if (row < 0 || row >= g.x[2] || column < 0 || column >= g.x[3]) continue;
            places.push_back((plane * g.x[2] + row) * g.x[3] + column);
          }
        visit(iy, places);
      }
}

struct PoolCase {
  PoolAttrs attrs;
  Shape x;
};

/// Plain, overlapping and padded, gaps between windows, asymmetric, SAME, size 1, whole plane, and an empty
/// batch.
std::vector<PoolCase> pool_cases() {
  using P = Padding;
  return {{{{2, 2}, {2, 2}, {0, 0, 0, 0}, P::given}, {2, 3, 6, 7}},
          {{{3, 3}, {2, 2}, {1, 1, 1, 1}, P::given}, {2, 2, 7, 6}},
          {{{2, 1}, {3, 2}, {0, 0, 0, 0}, P::given}, {1, 2, 5, 5}},
          {{{3, 2}, {1, 2}, {2, 0, 1, 1}, P::given}, {1, 1, 4, 5}},
          {{{3, 3}, {2, 2}, {0, 0, 0, 0}, P::same_upper}, {1, 2, 7, 5}},
          {{{2, 2}, {1, 1}, {0, 0, 0, 0}, P::same_lower}, {1, 1, 3, 4}},
          {{{1, 1}, {1, 1}, {0, 0, 0, 0}, P::valid}, {1, 1, 1, 1}},
          {{{3, 5}, {1, 1}, {0, 0, 0, 0}, P::given}, {3, 1, 3, 5}},
          {{{2, 2}, {2, 2}, {0, 0, 0, 0}, P::given}, {0, 2, 4, 4}}};
}

/// make(attributes, x type, y type) -> case, in f32 and f64.
template <class Make>
OpCases cases_of(Make make) {
  OpCases cases;
  for (const auto& c : pool_cases())
    for (auto dtype : {DType::f32, DType::f64})
      cases.push_back(make(c.attrs, Type{dtype, c.x}, Type{dtype, geometry_of("pool", c.attrs, c.x).y}));
  return cases;
}

Cost cost_of(const Geometry& g, const Types& in, const Types& out) {
  Cost cost = streaming_cost(in, out, 0);
  cost.flops = static_cast<double>(elements(g.y)) * static_cast<double>(g.window_size());
  return cost;
}

}  // namespace

// ---- max_pool
// -----------------------------------------------------------------------------------------------

Types MaxPool::infer(const Types& in) const {
  require_float(info, in, 0);
  return {{in[0].dtype, geometry_of(info.name, *this, in[0].shape).y}};
}

Values MaxPool::grad(NodeView n, const Values& dy) const {
  return {max_pool_backward(n.in(0), n.out(0), dy[0], *this)};
}

void MaxPool::eval(Args a) const {
  const auto& x = a.in[0]->real;
  auto& y = a.out[0]->real;
  for_each_window(geometry_of(info.name, *this, a.in[0]->shape()), [&](int64_t iy, const auto& places) {
    double best = -std::numeric_limits<double>::infinity();
    for (auto ix : places)
      if (x[ix] > best || std::isnan(x[ix])) best = x[ix];
    y[iy] = best;
  });
}

Cost MaxPool::cost(const Types& in) const {
  return cost_of(geometry_of(info.name, *this, in[0].shape), in, infer(in));
}

OpCases MaxPool::cases() {
  return cases_of([](const PoolAttrs& a, const Type& x, const Type&) { return op_case(MaxPool{a}, {x}); });
}

Value max_pool(Value x, PoolAttrs attrs, Site site) { return emit_one(MaxPool{std::move(attrs)}, {x}, site); }

// ---- max_pool_backward
// --------------------------------------------------------------------------------------

Types MaxPoolBackward::infer(const Types& in) const {
  require_float(info, in, 0);
  Type y{in[0].dtype, geometry_of(info.name, *this, in[0].shape).y};
  require_type(info, in, 1, y, "x and the window");
  require_type(info, in, 2, y, "x and the window");
  return {in[0]};
}

Values MaxPoolBackward::grad(NodeView, const Values&) const {
  throw user_error("max_pool_backward: second derivatives are not supported");
}

void MaxPoolBackward::eval(Args a) const {
  const auto &x = a.in[0]->real, &y = a.in[1]->real, &dy = a.in[2]->real;
  auto& dx = a.out[0]->real;
  for_each_window(geometry_of(info.name, *this, a.in[0]->shape()), [&](int64_t iy, const auto& places) {
    for (auto ix : places)
      if (x[ix] == y[iy] || (std::isnan(x[ix]) && std::isnan(y[iy]))) {
        dx[ix] += dy[iy];
        break;
      }
  });
}

Cost MaxPoolBackward::cost(const Types& in) const {
  return cost_of(geometry_of(info.name, *this, in[0].shape), in, infer(in));
}

OpCases MaxPoolBackward::cases() {
  return cases_of([](const PoolAttrs& a, const Type& x, const Type& y) {
    return op_case(MaxPoolBackward{a}, {x, y, y});
  });
}

Value max_pool_backward(Value x, Value y, Value dy, PoolAttrs attrs, Site site) {
  return emit_one(MaxPoolBackward{std::move(attrs)}, {x, y, dy}, site);
}

// ---- avg_pool
// -----------------------------------------------------------------------------------------------

Types AvgPool::infer(const Types& in) const {
  require_float(info, in, 0);
  return {{in[0].dtype, geometry_of(info.name, *this, in[0].shape).y}};
}

Values AvgPool::grad(NodeView n, const Values& dy) const {
  return {avg_pool_backward(dy[0], n.in(0).shape(), *this, count_padding)};
}

void AvgPool::eval(Args a) const {
  const auto& x = a.in[0]->real;
  auto& y = a.out[0]->real;
  auto g = geometry_of(info.name, *this, a.in[0]->shape());
  for_each_window(g, [&](int64_t iy, const auto& places) {
    double sum = 0;
    for (auto ix : places) sum += x[ix];
    y[iy] = sum / static_cast<double>(count_padding ? g.window_size() : static_cast<int64_t>(places.size()));
  });
}

Cost AvgPool::cost(const Types& in) const {
  return cost_of(geometry_of(info.name, *this, in[0].shape), in, infer(in));
}

OpCases AvgPool::cases() {
  auto cases = cases_of([](const PoolAttrs& a, const Type& x, const Type&) {
    return op_case(AvgPool{a, false}, {x});
  });
  auto more = cases_of([](const PoolAttrs& a, const Type& x, const Type&) {
    return op_case(AvgPool{a, true}, {x});
  });
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

Value avg_pool(Value x, PoolAttrs attrs, bool count_padding, Site site) {
  return emit_one(AvgPool{std::move(attrs), count_padding}, {x}, site);
}

// ---- avg_pool_backward
// --------------------------------------------------------------------------------------

Types AvgPoolBackward::infer(const Types& in) const {
  require_float(info, in, 0);
  require_type(info, in, 0, {in[0].dtype, geometry_of(info.name, *this, input_shape).y},
               "input_shape and the window");
  return {{in[0].dtype, input_shape}};
}

Values AvgPoolBackward::grad(NodeView, const Values& dy) const {
  return {avg_pool(dy[0], *this, count_padding)};
}

void AvgPoolBackward::eval(Args a) const {
  const auto& dy = a.in[0]->real;
  auto& dx = a.out[0]->real;
  auto g = geometry_of(info.name, *this, input_shape);
  for_each_window(g, [&](int64_t iy, const auto& places) {
    auto count = static_cast<double>(count_padding ? g.window_size() : static_cast<int64_t>(places.size()));
    for (auto ix : places) dx[ix] += dy[iy] / count;
  });
}

Cost AvgPoolBackward::cost(const Types& in) const {
  return cost_of(geometry_of(info.name, *this, input_shape), in, infer(in));
}

OpCases AvgPoolBackward::cases() {
  auto make = [](bool count) {
    return cases_of([count](const PoolAttrs& a, const Type& x, const Type& y) {
      return op_case(AvgPoolBackward{a, count, x.shape}, {y});
    });
  };
  auto cases = make(false), more = make(true);
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

Value avg_pool_backward(Value dy, Shape input_shape, PoolAttrs attrs, bool count_padding, Site site) {
  return emit_one(AvgPoolBackward{std::move(attrs), count_padding, std::move(input_shape)}, {dy}, site);
}

}  // namespace lockstep
