#include "lockstep/targets/cpu/kernels/cast.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "lockstep/ops/cast.h"
#include "lockstep/targets/cpu/kernels/fit.h"
#include "lockstep/targets/cpu/kernels/loops.h"

namespace lockstep::cpu {
namespace {

/// A truth value in memory.
enum class Pred : uint8_t {};

struct Args {
  Ref x, y;
  Cut cut;
};

template <class To>
To truncated(double v) {
  using L = std::numeric_limits<To>;
  if (std::isnan(v)) return 0;
  if (v <= static_cast<double>(L::min())) return L::min();
  if (v >= std::ldexp(1.0, L::digits)) return L::max();
  return static_cast<To>(v);
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<To, Pred>)
    return Pred(x != From{});
  else if constexpr (std::is_same_v<From, Pred>)
    return static_cast<To>(static_cast<uint8_t>(x));
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return truncated<To>(static_cast<double>(x));
  else if constexpr (std::is_integral_v<From> && std::is_floating_point_v<To>)
    return static_cast<To>(static_cast<double>(x));
  else
    return static_cast<To>(x);
}

template <class From, class To>
void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const From* x = f.at<From>(a.x);
  To* y = f.at<To>(a.y);
  int64_t begin = a.cut.begin(p), end = a.cut.end(p);
  if constexpr (std::is_same_v<From, uint8_t> && std::is_same_v<To, float>)
    loops().u8_to_f32(x + begin, y + begin, end - begin);
  else
    for (int64_t i = begin; i < end; ++i) y[i] = converted<To>(x[i]);
}

/// Calls visit(T{}); not for f16 and bf16.
template <class Visit>
void with_type(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::f64:
      return visit(double{});
    case DType::i32:
      return visit(int32_t{});
    case DType::i64:
      return visit(int64_t{});
    case DType::u8:
      return visit(uint8_t{});
    case DType::u64:
      return visit(uint64_t{});
    case DType::pred:
      return visit(Pred{});
    default:
      return visit(float{});
  }
}

Fit fits(const GroupView& g) {
  for (const auto& o : {g.step().reads[0], g.step().writes[0]})
    if (DType d = g.type(o).dtype; d == DType::f16 || d == DType::bf16) return no("f16 or bf16");
  return in_one_order(g) ? yes() : no("operands of two layouts");
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Cut cut(g.type(s.writes[0]).elements(), stream_grain);
  Args args{sink.ref(s.reads[0]), sink.ref(s.writes[0]), cut};
  with_type(g.type(s.reads[0]).dtype, [&](auto from) {
    with_type(g.type(s.writes[0]).dtype,
              [&](auto to) { sink.emit<part<decltype(from), decltype(to)>>(args, cut.parts); });
  });
}

}  // namespace

Kernel cast_kernel() { return {"cast", {"cast"}, fits, lower}; }

}  // namespace lockstep::cpu
