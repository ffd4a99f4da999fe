#include "lockstep/targets/cpu/kernels/unary.h"

#include <cmath>

#include "lockstep/ops/elementwise.h"
#include "lockstep/targets/cpu/kernels/fit.h"
#include "lockstep/targets/cpu/kernels/loops.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref x, y;
  UnaryLoop loop;
  Cut cut;
};

void part(const Args& a, const Frame& f, int64_t p) noexcept {
  int64_t begin = a.cut.begin(p);
  a.loop(f.at<float>(a.x) + begin, f.at<float>(a.y) + begin, a.cut.end(p) - begin);
}

void emit(const GroupView& g, CallSink& sink, UnaryLoop loop) {
  const Step& s = g.step();
  Cut cut(g.type(s.writes[0]).elements(), stream_grain);
  sink.emit<part>(Args{sink.ref(s.reads[0]), sink.ref(s.writes[0]), loop, cut}, cut.parts);
}

template <UnaryLoop Loops::*which>
void lower(const GroupView& g, CallSink& sink) {
  emit(g, sink, loops().*which);
}

template <float (*function)(float)>
void lower_function(const GroupView& g, CallSink& sink) {
  emit(g, sink, [](const float* x, float* y, size_t n) {
    for (size_t i = 0; i < n; ++i) y[i] = function(x[i]);
  });
}

float exp_at(float x) { return std::exp(x); }
float log_at(float x) { return std::log(x); }
float tanh_at(float x) { return std::tanh(x); }
float sigmoid_at(float x) {
  float e = std::exp(-std::abs(x));  // never overflows
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

struct ScalarArgs {
  Ref x, y;
  ScalarLoop loop;
  float scalar;
  Cut cut;
};

void scalar_part(const ScalarArgs& a, const Frame& f, int64_t p) noexcept {
  int64_t begin = a.cut.begin(p);
  a.loop(f.at<float>(a.x) + begin, a.scalar, f.at<float>(a.y) + begin, a.cut.end(p) - begin);
}

void emit_scalar(const GroupView& g, CallSink& sink, ScalarLoop loop, double scalar) {
  const Step& s = g.step();
  Cut cut(g.type(s.writes[0]).elements(), stream_grain);
  sink.emit<scalar_part>(
      ScalarArgs{sink.ref(s.reads[0]), sink.ref(s.writes[0]), loop, static_cast<float>(scalar), cut},
      cut.parts);
}

void lower_scale(const GroupView& g, CallSink& sink) {
  emit_scalar(g, sink, loops().scale, g.attrs<Scale>().factor);
}
void lower_shift(const GroupView& g, CallSink& sink) {
  emit_scalar(g, sink, loops().shift, g.attrs<Shift>().by);
}

constexpr auto fits = fits_elementwise_f32;

}  // namespace

Kernel neg_kernel() { return {"neg", {"neg"}, fits, lower<&Loops::neg>}; }
Kernel exp_kernel() { return {"exp", {"exp"}, fits, lower_function<exp_at>}; }
Kernel log_kernel() { return {"log", {"log"}, fits, lower_function<log_at>}; }
Kernel sqrt_kernel() { return {"sqrt", {"sqrt"}, fits, lower<&Loops::sqrt>}; }
Kernel rsqrt_kernel() { return {"rsqrt", {"rsqrt"}, fits, lower<&Loops::rsqrt>}; }
Kernel tanh_kernel() { return {"tanh", {"tanh"}, fits, lower_function<tanh_at>}; }
Kernel sigmoid_kernel() { return {"sigmoid", {"sigmoid"}, fits, lower_function<sigmoid_at>}; }
Kernel relu_kernel() { return {"relu", {"relu"}, fits, lower<&Loops::relu>}; }
Kernel abs_kernel() { return {"abs", {"abs"}, fits, lower<&Loops::abs>}; }
Kernel square_kernel() { return {"square", {"square"}, fits, lower<&Loops::square>}; }
Kernel scale_kernel() { return {"scale", {"scale"}, fits, lower_scale}; }
Kernel shift_kernel() { return {"shift", {"shift"}, fits, lower_shift}; }

}  // namespace lockstep::cpu
