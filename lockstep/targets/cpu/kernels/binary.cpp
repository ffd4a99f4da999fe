#include "lockstep/targets/cpu/kernels/binary.h"

#include "lockstep/targets/cpu/kernels/loops.h"
#include "lockstep/targets/cpu/kernels/nest.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref a, b, y;
  BinaryLoops loops;
  Nest<2> nest;
  Cut cut;
};

void part(const Args& args, const Frame& f, int64_t p) noexcept {
  const float *a = f.at<float>(args.a), *b = f.at<float>(args.b);
  float* y = f.at<float>(args.y);
  int64_t sa = args.nest.inner_stride(0), sb = args.nest.inner_stride(1);
  walk(args.nest, args.cut.begin(p), args.cut.end(p), [&](int64_t first, const auto& offset, int64_t count) {
    const float *ra = a + offset[0], *rb = b + offset[1];
    float* ry = y + first;
    if (sa == 1 && sb == 1)
      args.loops.both(ra, rb, ry, count);
    else if (sa == 1 && sb == 0)
      args.loops.scalar_right(ra, rb, ry, count);
    else if (sa == 0 && sb == 1)
      args.loops.scalar_left(ra, rb, ry, count);
    else
      for (int64_t i = 0; i < count; ++i) args.loops.both(ra + i * sa, rb + i * sb, ry + i, 1);
  });
}

Fit fits(const GroupView& g) {
  if (Fit fit = fits_elementwise_f32(g); !fit.fits) return fit;
  if (is_plain(g, g.step().writes[0]) && !all_plain(g)) return no("a blocked operand of a plain result");
  if (g.type(g.step().writes[0]).shape.size() > 6) return no("more than 6 axes");
  return yes();
}

void emit(const GroupView& g, CallSink& sink, const BinaryLoops& loops) {
  const Step& s = g.step();
  Shape shape = g.type(s.writes[0]).shape;
  Layout order = order_in_memory(g, s.writes[0]);
  auto strides = [&](const Operand& o) {
    return broadcast_strides(g.type(o).shape, order_in_memory(g, o), shape, order);
  };
  Nest<2> nest(memory_axes(shape, order), {strides(s.reads[0]), strides(s.reads[1])});
  Cut cut(nest.size(), stream_grain);
  sink.emit<part>(Args{sink.ref(s.reads[0]), sink.ref(s.reads[1]), sink.ref(s.writes[0]), loops, nest, cut},
                  cut.parts);
}

template <BinaryLoops Loops::*which>
void lower(const GroupView& g, CallSink& sink) {
  emit(g, sink, loops().*which);
}

void lower_relu_backward(const GroupView& g, CallSink& sink) {
  emit(g, sink, {loops().relu_backward, nullptr, nullptr});
}

}  // namespace

Kernel add_kernel() { return {"add", {"add"}, fits, lower<&Loops::add>}; }
Kernel sub_kernel() { return {"sub", {"sub"}, fits, lower<&Loops::sub>}; }
Kernel mul_kernel() { return {"mul", {"mul"}, fits, lower<&Loops::mul>}; }
Kernel div_kernel() { return {"div", {"div"}, fits, lower<&Loops::div>}; }
Kernel maximum_kernel() { return {"maximum", {"maximum"}, fits, lower<&Loops::maximum>}; }
Kernel minimum_kernel() { return {"minimum", {"minimum"}, fits, lower<&Loops::minimum>}; }
Kernel relu_backward_kernel() { return {"relu_backward", {"relu_backward"}, fits, lower_relu_backward}; }

}  // namespace lockstep::cpu
