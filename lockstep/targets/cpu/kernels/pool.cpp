#include "lockstep/targets/cpu/kernels/pool.h"

#include <algorithm>
#include <cmath>

#include "lockstep/ops/pool.h"
#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {
namespace {

/// A plane is one channel of one row of the batch, or eight of them side by side.
struct Args {
  Ref x, y, dy, dx;  ///< those that the op has
  Window h, w;
  int64_t height, width, out_height, out_width;
  bool count_padding;
  Cut planes;
};

/// The places of a window inside the image.
struct Box {
  int64_t top, bottom, left, right;
  int64_t size() const { return (bottom - top) * (right - left); }
};

/// Calls visit(place in y, box) for each window of a plane in row order.
template <class Visit>
void for_each_window(const Args& a, Visit visit) {
  for (int64_t i = 0; i < a.out_height; ++i) {
    int64_t top = i * a.h.stride - a.h.pad_begin;
    for (int64_t j = 0; j < a.out_width; ++j) {
      int64_t left = j * a.w.stride - a.w.pad_begin;
      visit(i * a.out_width + j, Box{std::max<int64_t>(top, 0), std::min(top + a.h.size, a.height),
                                     std::max<int64_t>(left, 0), std::min(left + a.w.size, a.width)});
    }
  }
}

/// Floats of a plane of x (in) and of y (out).
template <int lanes>
int64_t in_size(const Args& a) {
  return a.height * a.width * lanes;
}
template <int lanes>
int64_t out_size(const Args& a) {
  return a.out_height * a.out_width * lanes;
}

template <int lanes>
void max_part(const Args& a, const Frame& f, int64_t p) noexcept {
  for (int64_t plane = a.planes.begin(p); plane < a.planes.end(p); ++plane) {
    const float* x = f.at<float>(a.x) + plane * in_size<lanes>(a);
    float* y = f.at<float>(a.y) + plane * out_size<lanes>(a);
    for_each_window(a, [&](int64_t out, Box box) {
      float best[lanes];
      std::fill_n(best, lanes, -INFINITY);
      for (int64_t r = box.top; r < box.bottom; ++r)
        for (int64_t c = box.left; c < box.right; ++c) {
          const float* v = x + (r * a.width + c) * lanes;
          for (int l = 0; l < lanes; ++l) best[l] = (v[l] > best[l]) | (v[l] != v[l]) ? v[l] : best[l];
        }
      std::copy_n(best, lanes, y + out * lanes);
    });
  }
}

template <int lanes>
void max_backward_part(const Args& a, const Frame& f, int64_t p) noexcept {
  for (int64_t plane = a.planes.begin(p); plane < a.planes.end(p); ++plane) {
    const float* x = f.at<float>(a.x) + plane * in_size<lanes>(a);
    const float* y = f.at<float>(a.y) + plane * out_size<lanes>(a);
    const float* dy = f.at<float>(a.dy) + plane * out_size<lanes>(a);
    float* dx = f.at<float>(a.dx) + plane * in_size<lanes>(a);
    std::fill_n(dx, in_size<lanes>(a), 0.0f);
    for_each_window(a, [&](int64_t out, Box box) {
      const float* best = y + out * lanes;
      float left[lanes];  // what is still to be given to a place
      std::copy_n(dy + out * lanes, lanes, left);
      for (int64_t r = box.top; r < box.bottom; ++r)
        for (int64_t c = box.left; c < box.right; ++c) {
          const float* v = x + (r * a.width + c) * lanes;
          float* d = dx + (r * a.width + c) * lanes;
          for (int l = 0; l < lanes; ++l) {
            bool here = (v[l] == best[l]) | ((v[l] != v[l]) & (best[l] != best[l]));
            d[l] += here ? left[l] : 0.0f;
            left[l] = here ? 0.0f : left[l];
          }
        }
    });
  }
}

float count_of(const Args& a, Box box) {
  return static_cast<float>(a.count_padding ? a.h.size * a.w.size : box.size());
}

template <int lanes>
void avg_part(const Args& a, const Frame& f, int64_t p) noexcept {
  for (int64_t plane = a.planes.begin(p); plane < a.planes.end(p); ++plane) {
    const float* x = f.at<float>(a.x) + plane * in_size<lanes>(a);
    float* y = f.at<float>(a.y) + plane * out_size<lanes>(a);
    for_each_window(a, [&](int64_t out, Box box) {
      float sum[lanes] = {};
      for (int64_t r = box.top; r < box.bottom; ++r)
        for (int64_t c = box.left; c < box.right; ++c)
          for (int l = 0; l < lanes; ++l) sum[l] += x[(r * a.width + c) * lanes + l];
      for (int l = 0; l < lanes; ++l) y[out * lanes + l] = sum[l] / count_of(a, box);
    });
  }
}

template <int lanes>
void avg_backward_part(const Args& a, const Frame& f, int64_t p) noexcept {
  for (int64_t plane = a.planes.begin(p); plane < a.planes.end(p); ++plane) {
    const float* dy = f.at<float>(a.dy) + plane * out_size<lanes>(a);
    float* dx = f.at<float>(a.dx) + plane * in_size<lanes>(a);
    std::fill_n(dx, in_size<lanes>(a), 0.0f);
    for_each_window(a, [&](int64_t out, Box box) {
      float share[lanes];
      for (int l = 0; l < lanes; ++l) share[l] = dy[out * lanes + l] / count_of(a, box);
      for (int64_t r = box.top; r < box.bottom; ++r)
        for (int64_t c = box.left; c < box.right; ++c)
          for (int l = 0; l < lanes; ++l) dx[(r * a.width + c) * lanes + l] += share[l];
    });
  }
}

// ---- lowering --------------------------------------------------------------------------------------------

/// One place a channel lies the same in both layouts, so it goes with either.
Fit fits(const GroupView& g) {
  if (!all_f32(g)) return no("not f32");
  if (all_plain(g)) return yes();
  for (const auto* list : {&g.step().reads, &g.step().writes})
    for (const auto& o : *list)
      if (Shape shape = g.type(o).shape; is_plain(g, o) && shape[2] * shape[3] > 1)
        return no("operands of two layouts");
  return yes();
}

template <auto plain, auto blocked>
void emit(const GroupView& g, CallSink& sink, Args a, std::string_view op, const PoolAttrs& attrs,
          const Shape& x, bool count_padding) {
  auto windows = make_windows(op, x, attrs.window, attrs.strides, {1, 1}, attrs.padding, attrs.pads);
  a.h = windows[0];
  a.w = windows[1];
  a.height = x[2];
  a.width = x[3];
  a.out_height = a.h.output(x[2]);
  a.out_width = a.w.output(x[3]);
  a.count_padding = count_padding;
  bool is_blocked = !all_plain(g);
  int64_t lanes = is_blocked ? block : 1;
  int64_t work = std::max(a.height * a.width, a.out_height * a.out_width * a.h.size * a.w.size) * lanes;
  a.planes = Cut(x[0] * x[1] / lanes, std::max<int64_t>(1, stream_grain / std::max<int64_t>(1, work)));
  if (is_blocked)
    sink.emit<blocked>(a, a.planes.parts);
  else
    sink.emit<plain>(a, a.planes.parts);
}

void lower_max(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Args a{};
  a.x = sink.ref(s.reads[0]);
  a.y = sink.ref(s.writes[0]);
  emit<max_part<1>, max_part<block>>(g, sink, a, "max_pool", g.attrs<MaxPool>(), g.type(s.reads[0]).shape,
                                     false);
}

void lower_max_backward(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Args a{};
  a.x = sink.ref(s.reads[0]);
  a.y = sink.ref(s.reads[1]);
  a.dy = sink.ref(s.reads[2]);
  a.dx = sink.ref(s.writes[0]);
  emit<max_backward_part<1>, max_backward_part<block>>(
      g, sink, a, "max_pool_backward", g.attrs<MaxPoolBackward>(), g.type(s.reads[0]).shape, false);
}

void lower_avg(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Args a{};
  a.x = sink.ref(s.reads[0]);
  a.y = sink.ref(s.writes[0]);
  const auto& op = g.attrs<AvgPool>();
  emit<avg_part<1>, avg_part<block>>(g, sink, a, "avg_pool", op, g.type(s.reads[0]).shape, op.count_padding);
}

void lower_avg_backward(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Args a{};
  a.dy = sink.ref(s.reads[0]);
  a.dx = sink.ref(s.writes[0]);
  const auto& op = g.attrs<AvgPoolBackward>();
  emit<avg_backward_part<1>, avg_backward_part<block>>(g, sink, a, "avg_pool_backward", op, op.input_shape,
                                                       op.count_padding);
}

}  // namespace

Kernel max_pool_kernel() { return {"max_pool", {"max_pool"}, fits, lower_max}; }
Kernel max_pool_backward_kernel() {
  return {"max_pool_backward", {"max_pool_backward"}, fits, lower_max_backward};
}
Kernel avg_pool_kernel() { return {"avg_pool", {"avg_pool"}, fits, lower_avg}; }
Kernel avg_pool_backward_kernel() {
  return {"avg_pool_backward", {"avg_pool_backward"}, fits, lower_avg_backward};
}

}  // namespace lockstep::cpu
