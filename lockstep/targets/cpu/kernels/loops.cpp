#include "lockstep/targets/cpu/kernels/loops.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lockstep/targets/cpu/kernels/loops.cpp"
#include "lockstep/targets/cpu/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, 8>;
using Vec = hn::Vec<Floats>;
constexpr Floats floats;
constexpr size_t lanes = hn::MaxLanes(floats);
constexpr size_t sums = 32;  ///< partial sums of a reduction, whatever the instruction set

HWY_INLINE Vec nan_or(Vec value, Vec a) { return hn::IfThenElse(hn::IsNaN(a), a, value); }

// ---- operations at a point -------------------------------------------------------------------------------

struct AddOp {
  static HWY_INLINE Vec at(Vec a, Vec b) { return hn::Add(a, b); }
};
struct SubOp {
  static HWY_INLINE Vec at(Vec a, Vec b) { return hn::Sub(a, b); }
};
struct MulOp {
  static HWY_INLINE Vec at(Vec a, Vec b) { return hn::Mul(a, b); }
};
struct DivOp {
  static HWY_INLINE Vec at(Vec a, Vec b) { return hn::Div(a, b); }
};
struct MaximumOp {
  static HWY_INLINE Vec at(Vec a, Vec b) { return nan_or(hn::IfThenElse(hn::Ge(a, b), a, b), a); }
};
struct MinimumOp {
  static HWY_INLINE Vec at(Vec a, Vec b) { return nan_or(hn::IfThenElse(hn::Le(a, b), a, b), a); }
};
struct ReluBackwardOp {
  static HWY_INLINE Vec at(Vec dy, Vec y) { return hn::IfThenElseZero(hn::Gt(y, hn::Zero(floats)), dy); }
};
struct ReluOp {
  static HWY_INLINE Vec at(Vec x) { return hn::IfThenZeroElse(hn::Le(x, hn::Zero(floats)), x); }
};
struct NegOp {
  static HWY_INLINE Vec at(Vec x) { return hn::Neg(x); }
};
struct AbsOp {
  static HWY_INLINE Vec at(Vec x) { return hn::Abs(x); }
};
struct SquareOp {
  static HWY_INLINE Vec at(Vec x) { return hn::Mul(x, x); }
};
struct SqrtOp {
  static HWY_INLINE Vec at(Vec x) { return hn::Sqrt(x); }
};
struct RsqrtOp {
  static HWY_INLINE Vec at(Vec x) { return hn::Div(hn::Set(floats, 1.0f), hn::Sqrt(x)); }
};

// ---- loops -----------------------------------------------------------------------------------------------

// Whole vectors first; what is left goes through a buffer, so that it meets the same instructions.

HWY_INLINE Vec load_some(const float* p, size_t n) {
  float buffer[lanes] = {};
  for (size_t i = 0; i < n; ++i) buffer[i] = p[i];
  return hn::LoadU(floats, buffer);
}
HWY_INLINE void store_some(Vec v, float* p, size_t n) {
  float buffer[lanes];
  hn::StoreU(v, floats, buffer);
  for (size_t i = 0; i < n; ++i) p[i] = buffer[i];
}

template <class F>
void both(const float* a, const float* b, float* y, size_t n) {
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(F::at(hn::LoadU(floats, a + i), hn::LoadU(floats, b + i)), floats, y + i);
  if (i < n) store_some(F::at(load_some(a + i, n - i), load_some(b + i, n - i)), y + i, n - i);
}
template <class F>
void scalar_right(const float* a, const float* b, float* y, size_t n) {
  if (n == 0) return;
  size_t i = 0;
  const Vec vb = hn::Set(floats, *b);
  for (; i + lanes <= n; i += lanes) hn::StoreU(F::at(hn::LoadU(floats, a + i), vb), floats, y + i);
  if (i < n) store_some(F::at(load_some(a + i, n - i), vb), y + i, n - i);
}
template <class F>
void scalar_left(const float* a, const float* b, float* y, size_t n) {
  if (n == 0) return;
  size_t i = 0;
  const Vec va = hn::Set(floats, *a);
  for (; i + lanes <= n; i += lanes) hn::StoreU(F::at(va, hn::LoadU(floats, b + i)), floats, y + i);
  if (i < n) store_some(F::at(va, load_some(b + i, n - i)), y + i, n - i);
}
template <class F>
constexpr BinaryLoops binary() {
  return {both<F>, scalar_right<F>, scalar_left<F>};
}
template <class F>
void unary(const float* x, float* y, size_t n) {
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(F::at(hn::LoadU(floats, x + i)), floats, y + i);
  if (i < n) store_some(F::at(load_some(x + i, n - i)), y + i, n - i);
}
template <class F>
void with_scalar(const float* x, float scalar, float* y, size_t n) {
  scalar_right<F>(x, &scalar, y, n);
}

void u8_to_f32(const uint8_t* x, float* y, size_t n) {
  constexpr hn::Rebind<uint8_t, Floats> bytes;
  constexpr hn::Rebind<int32_t, Floats> words;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::ConvertTo(floats, hn::PromoteTo(words, hn::LoadU(bytes, x + i))), floats, y + i);
  for (; i < n; ++i) y[i] = static_cast<float>(x[i]);
}

template <bool rate_inside, bool nesterov>
HWY_INLINE void sgd_at(const SgdLoop& how, Vec w, Vec g, Vec m, Vec* w_next, Vec* m_next) {
  const Vec rate = hn::Set(floats, how.rate), momentum = hn::Set(floats, how.momentum);
  const Vec d = hn::Add(g, hn::Mul(hn::Set(floats, how.weight_decay), w));
  const Vec part = rate_inside ? hn::Mul(rate, d) : d;
  *m_next = hn::Add(hn::Mul(momentum, m), part);
  const Vec ahead = nesterov ? hn::Add(part, hn::Mul(momentum, *m_next)) : *m_next;
  *w_next = hn::Sub(w, rate_inside ? ahead : hn::Mul(rate, ahead));
}
template <bool rate_inside, bool nesterov>
void sgd_form(const SgdLoop& how, const float* w, const float* g, const float* m, float* w_next,
              float* m_next, size_t n) {
  size_t i = 0;
  Vec wn, mn;
  for (; i + lanes <= n; i += lanes) {
    sgd_at<rate_inside, nesterov>(how, hn::LoadU(floats, w + i), hn::LoadU(floats, g + i),
                                  hn::LoadU(floats, m + i), &wn, &mn);
    hn::StoreU(wn, floats, w_next + i);
    hn::StoreU(mn, floats, m_next + i);
  }
  if (i == n) return;
  sgd_at<rate_inside, nesterov>(how, load_some(w + i, n - i), load_some(g + i, n - i),
                                load_some(m + i, n - i), &wn, &mn);
  store_some(wn, w_next + i, n - i);
  store_some(mn, m_next + i, n - i);
}
void sgd(const SgdLoop& how, const float* w, const float* g, const float* m, float* w_next, float* m_next,
         size_t n) {
  auto form = how.rate_inside ? (how.nesterov ? sgd_form<true, true> : sgd_form<true, false>)
                              : (how.nesterov ? sgd_form<false, true> : sgd_form<false, false>);
  form(how, w, g, m, w_next, m_next, n);
}

/// x - x is 0 for finite x, else NaN; and NaN stays when zeros are added.
bool all_finite(const float* x, size_t n) {
  size_t i = 0;
  Vec seen = hn::Zero(floats);
  for (; i + lanes <= n; i += lanes) {
    const Vec v = hn::LoadU(floats, x + i);
    seen = hn::Add(seen, hn::Sub(v, v));
  }
  if (i < n) {
    const Vec v = load_some(x + i, n - i);
    seen = hn::Add(seen, hn::Sub(v, v));
  }
  return hn::AllTrue(floats, hn::Eq(seen, hn::Zero(floats)));
}

float sum(const float* x, size_t n) {
  constexpr size_t vectors = sums / lanes;
  Vec partial[vectors];
  for (auto& p : partial) p = hn::Zero(floats);
  size_t i = 0;
  for (; i + sums <= n; i += sums)
    for (size_t v = 0; v < vectors; ++v)
      partial[v] = hn::Add(partial[v], hn::LoadU(floats, x + i + v * lanes));
  float s[sums];
  for (size_t v = 0; v < vectors; ++v) hn::StoreU(partial[v], floats, s + v * lanes);
  for (size_t l = 0; i < n; ++i, ++l) s[l] += x[i];
  for (size_t half = sums / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; ++l) s[l] += s[l + half];
  return s[0];
}

/// `count` vectors side by side stay in registers while the rows go by.
template <size_t count>
HWY_INLINE void add_tile(const float* x, size_t rows, size_t stride, float* y) {
  Vec acc[count];
  for (size_t v = 0; v < count; ++v) acc[v] = hn::LoadU(floats, y + v * lanes);
  for (size_t r = 0; r < rows; ++r)
    for (size_t v = 0; v < count; ++v)
      acc[v] = hn::Add(acc[v], hn::LoadU(floats, x + r * stride + v * lanes));
  for (size_t v = 0; v < count; ++v) hn::StoreU(acc[v], floats, y + v * lanes);
}
void add_rows(const float* x, size_t rows, size_t stride, float* y, size_t width) {
  size_t j = 0;
  for (; j + 8 * lanes <= width; j += 8 * lanes) add_tile<8>(x + j, rows, stride, y + j);
  for (; j + lanes <= width; j += lanes) add_tile<1>(x + j, rows, stride, y + j);
  if (j == width) return;
  for (size_t r = 0; r < rows; ++r)
    for (size_t k = j; k < width; ++k) y[k] += x[r * stride + k];
}

}  // namespace

const Loops& table() {
  static constexpr Loops all{.add = binary<AddOp>(),
                             .sub = binary<SubOp>(),
                             .mul = binary<MulOp>(),
                             .div = binary<DivOp>(),
                             .maximum = binary<MaximumOp>(),
                             .minimum = binary<MinimumOp>(),
                             .relu_backward = both<ReluBackwardOp>,
                             .relu = unary<ReluOp>,
                             .neg = unary<NegOp>,
                             .abs = unary<AbsOp>,
                             .square = unary<SquareOp>,
                             .sqrt = unary<SqrtOp>,
                             .rsqrt = unary<RsqrtOp>,
                             .scale = with_scalar<MulOp>,
                             .shift = with_scalar<AddOp>,
                             .u8_to_f32 = u8_to_f32,
                             .sgd = sgd,
                             .all_finite = all_finite,
                             .sum = sum,
                             .add_rows = add_rows};
  return all;
}

}  // namespace lockstep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::cpu {

HWY_EXPORT(table);
const Loops& loops() { return HWY_DYNAMIC_DISPATCH(table)(); }

}  // namespace lockstep::cpu
#endif
