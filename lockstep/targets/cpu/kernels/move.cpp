#include "lockstep/targets/cpu/kernels/move.h"

#include <algorithm>

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/slice.h"
#include "lockstep/ops/transpose.h"
#include "lockstep/targets/cpu/kernels/element_size.h"
#include "lockstep/targets/cpu/kernels/nest.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref x, y;
  int64_t first;  ///< element of x that becomes element 0 of y
  Nest<1> nest;   ///< over y in memory order, with strides in x
  Cut cut;
};

template <class T>
void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const T* x = f.at<T>(a.x);
  T* y = f.at<T>(a.y);
  int64_t stride = a.nest.inner_stride(0);
  walk(a.nest, a.cut.begin(p), a.cut.end(p), [&](int64_t first, const auto& offset, int64_t count) {
    const T* from = x + a.first + offset[0];
    if (stride == 1)
      std::copy_n(from, count, y + first);
    else if (stride == 0)
      std::fill_n(y + first, count, *from);
    else
      for (int64_t i = 0; i < count; ++i) y[first + i] = from[i * stride];
  });
}

void emit(const GroupView& g, CallSink& sink, const Nest<1>& nest, int64_t first = 0) {
  const Step& s = g.step();
  Cut cut(nest.size(), stream_grain);
  with_element_size(g.type(s.writes[0]).dtype, [&](auto word) {
    sink.emit<part<decltype(word)>>(Args{sink.ref(s.reads[0]), sink.ref(s.writes[0]), first, nest, cut},
                                    cut.parts);
  });
}

// ---- reshape ---------------------------------------------------------------------------------------------

Fit fits_plain(const GroupView& g) {
  if (!all_plain(g)) return no("a blocked operand");
  if (g.type(g.step().writes[0]).shape.size() > Nest<1>::most) return no("too many axes");
  return yes();
}

Fit fits_reshape(const GroupView& g) { return all_plain(g) ? yes() : no("a blocked operand"); }

void lower_reshape(const GroupView& g, CallSink& sink) {
  emit(g, sink, Nest<1>({g.type(g.step().writes[0]).elements()}, {Shape{1}}));
}

// ---- transpose, slice ------------------------------------------------------------------------------------

void lower_transpose(const GroupView& g, CallSink& sink) {
  Shape own = strides_of(g.type(g.step().reads[0]).shape), strides;
  for (auto axis : g.attrs<Transpose>().perm) strides.push_back(own[axis]);
  emit(g, sink, Nest<1>(g.type(g.step().writes[0]).shape, {strides}));
}

void lower_slice(const GroupView& g, CallSink& sink) {
  Shape strides = strides_of(g.type(g.step().reads[0]).shape);
  const Shape& begin = g.attrs<Slice>().begin;
  int64_t first = 0;
  for (size_t d = 0; d < strides.size(); ++d) first += begin[d] * strides[d];
  emit(g, sink, Nest<1>(g.type(g.step().writes[0]).shape, {strides}), first);
}

// ---- broadcast_to ----------------------------------------------------------------------------------------

Fit fits_broadcast(const GroupView& g) {
  const Step& s = g.step();
  if (is_plain(g, s.writes[0]) && !is_plain(g, s.reads[0])) return no("a blocked operand of a plain result");
  if (g.type(s.writes[0]).shape.size() >= Nest<1>::most) return no("too many axes");
  return yes();
}

void lower_broadcast(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Shape shape = g.type(s.writes[0]).shape;
  Layout order = order_in_memory(g, s.writes[0]);
  Shape strides = broadcast_strides(g.type(s.reads[0]).shape, order_in_memory(g, s.reads[0]), shape, order);
  emit(g, sink, Nest<1>(memory_axes(shape, order), {strides}));
}

}  // namespace

Kernel reshape_kernel() { return {"reshape", {"reshape"}, fits_reshape, lower_reshape}; }
Kernel transpose_kernel() { return {"transpose", {"transpose"}, fits_plain, lower_transpose}; }
Kernel broadcast_to_kernel() { return {"broadcast_to", {"broadcast_to"}, fits_broadcast, lower_broadcast}; }
Kernel slice_kernel() { return {"slice", {"slice"}, fits_plain, lower_slice}; }

}  // namespace lockstep::cpu
