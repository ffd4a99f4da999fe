#include "lockstep/targets/cpu/kernels/constant.h"

#include <algorithm>
#include <cstring>

#include "lockstep/ir/tensor.h"
#include "lockstep/ops/constant.h"
#include "lockstep/targets/cpu/kernels/element_size.h"
#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref y;
  uint64_t bits;  ///< of one element, in the first bytes
  Cut cut;
};

template <class T>
void part(const Args& a, const Frame& f, int64_t p) noexcept {
  T value;
  std::memcpy(&value, &a.bits, sizeof value);
  T* y = f.at<T>(a.y);
  std::fill(y + a.cut.begin(p), y + a.cut.end(p), value);
}

Fit fits(const GroupView&) { return yes(); }

void lower(const GroupView& g, CallSink& sink) {
  Constant one = g.attrs<Constant>();
  one.shape = {};
  Tensor value(Type{one.dtype, {}});
  Tensor* out[] = {&value};
  one.eval({{}, out});
  Args args{sink.ref(g.step().writes[0]), 0, Cut(g.type(g.step().writes[0]).elements(), stream_grain)};
  store(value, &args.bits);
  with_element_size(one.dtype, [&](auto word) { sink.emit<part<decltype(word)>>(args, args.cut.parts); });
}

}  // namespace

Kernel constant_kernel() { return {"constant", {"constant"}, fits, lower}; }

}  // namespace lockstep::cpu
