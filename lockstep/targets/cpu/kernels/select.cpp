#include "lockstep/targets/cpu/kernels/select.h"

#include "lockstep/targets/cpu/kernels/element_size.h"
#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref pred, a, b, y;
  bool scalar;
  Cut cut;
};

template <class T>
void part(const Args& args, const Frame& f, int64_t p) noexcept {
  const uint8_t* pred = f.at<uint8_t>(args.pred);
  const T *a = f.at<T>(args.a), *b = f.at<T>(args.b);
  T* y = f.at<T>(args.y);
  int64_t begin = args.cut.begin(p), end = args.cut.end(p);
  if (args.scalar && begin < end) {
    const T* from = *pred != 0 ? a : b;
    if (from != y) std::copy(from + begin, from + end, y + begin);
  } else {
    for (int64_t i = begin; i < end; ++i) y[i] = pred[i] != 0 ? a[i] : b[i];
  }
}

Fit fits(const GroupView& g) { return in_one_order(g) ? yes() : no("operands of two layouts"); }

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Cut cut(g.type(s.writes[0]).elements(), stream_grain);
  bool scalar = g.type(s.reads[0]).shape.empty();
  with_element_size(g.type(s.writes[0]).dtype, [&](auto word) {
    Args args{
        sink.ref(s.reads[0]), sink.ref(s.reads[1]), sink.ref(s.reads[2]), sink.ref(s.writes[0]), scalar, cut};
    sink.emit<part<decltype(word)>>(args, cut.parts);
  });
}

}  // namespace

Kernel select_kernel() { return {"select", {"select"}, fits, lower}; }

}  // namespace lockstep::cpu
