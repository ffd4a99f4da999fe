#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lockstep/targets/cpu/kernels/norm_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lockstep/targets/cpu/kernels/norm_loops.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
// Eight lanes at most: one vector of AVX2. Targets with four take two steps through the same lanes, so a
// channel's sum has the same order of additions everywhere.
constexpr hn::CappedTag<float, 8> d;
using V = hn::Vec<decltype(d)>;
constexpr int64_t channels = 8;

void Sum(const float* x, int64_t area, float* sum) {
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    // Four accumulators hide the latency of the adder; they are combined in a fixed order.
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    int64_t p = 0;
    for (; p + 4 <= area; p += 4) {
      s0 = hn::Add(s0, hn::LoadU(d, x + p * channels + c));
      s1 = hn::Add(s1, hn::LoadU(d, x + (p + 1) * channels + c));
      s2 = hn::Add(s2, hn::LoadU(d, x + (p + 2) * channels + c));
      s3 = hn::Add(s3, hn::LoadU(d, x + (p + 3) * channels + c));
    }
    for (; p < area; ++p) s0 = hn::Add(s0, hn::LoadU(d, x + p * channels + c));
    hn::StoreU(hn::Add(hn::LoadU(d, sum + c), hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))), d, sum + c);
  }
}

void SquareSum(const float* x, const float* mean, int64_t area, float* sum) {
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    const V m = hn::LoadU(d, mean + c);
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    auto square = [&](int64_t p) {
      V e = hn::Sub(hn::LoadU(d, x + p * channels + c), m);
      return hn::Mul(e, e);
    };
    int64_t p = 0;
    for (; p + 4 <= area; p += 4) {
      s0 = hn::Add(s0, square(p));
      s1 = hn::Add(s1, square(p + 1));
      s2 = hn::Add(s2, square(p + 2));
      s3 = hn::Add(s3, square(p + 3));
    }
    for (; p < area; ++p) s0 = hn::Add(s0, square(p));
    hn::StoreU(hn::Add(hn::LoadU(d, sum + c), hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))), d, sum + c);
  }
}

/// relu(NaN) = NaN, as in the op: zero only where the value compares at or below 0.
V Relu(V v) { return hn::IfThenZeroElse(hn::Le(v, hn::Zero(d)), v); }

void Apply(const float* x, const float* factor, const float* offset, const float* other, float* y,
           int64_t area, NormTail tail) {
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    const V f = hn::LoadU(d, factor + c), o = hn::LoadU(d, offset + c);
    auto normed = [&](int64_t i) { return hn::Add(hn::Mul(hn::LoadU(d, x + i), f), o); };
    int64_t end = area * channels;
    switch (tail) {
      case NormTail::none:
        for (int64_t i = c; i < end; i += channels) hn::StoreU(normed(i), d, y + i);
        break;
      case NormTail::relu:
        for (int64_t i = c; i < end; i += channels) hn::StoreU(Relu(normed(i)), d, y + i);
        break;
      case NormTail::add_relu:
        for (int64_t i = c; i < end; i += channels)
          hn::StoreU(Relu(hn::Add(normed(i), hn::LoadU(d, other + i))), d, y + i);
        break;
    }
  }
}

/// The gradient that arrives at batch norm's output, formed from what flows in.
struct Incoming {
  const float* const* incoming;
  int parts;
  const float* relu_output;
  V operator()(int64_t i) const {
    V g = hn::LoadU(d, incoming[0] + i);
    for (int k = 1; k < parts; ++k) g = hn::Add(g, hn::LoadU(d, incoming[k] + i));
    if (relu_output != nullptr) g = hn::IfThenElseZero(hn::Gt(hn::LoadU(d, relu_output + i), hn::Zero(d)), g);
    return g;
  }
};

void BackwardSums(const float* const* incoming, int parts, const float* relu_output, const float* x,
                  const float* mean, float* gradient, int64_t area, float* sum, float* dot) {
  const Incoming in{incoming, parts, relu_output};
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    const V m = hn::LoadU(d, mean + c);
    V s0 = hn::Zero(d), s1 = s0, t0 = s0, t1 = s0;
    auto one = [&](int64_t p, V& s, V& t) {
      int64_t i = p * channels + c;
      V g = in(i);
      if (gradient != nullptr) hn::StoreU(g, d, gradient + i);
      s = hn::Add(s, g);
      t = hn::Add(t, hn::Mul(g, hn::Sub(hn::LoadU(d, x + i), m)));
    };
    int64_t p = 0;
    for (; p + 2 <= area; p += 2) {
      one(p, s0, t0);
      one(p + 1, s1, t1);
    }
    for (; p < area; ++p) one(p, s0, t0);
    hn::StoreU(hn::Add(hn::LoadU(d, sum + c), hn::Add(s0, s1)), d, sum + c);
    hn::StoreU(hn::Add(hn::LoadU(d, dot + c), hn::Add(t0, t1)), d, dot + c);
  }
}

void BackwardApply(const float* gradient, const float* const* incoming, int parts, const float* relu_output,
                   const float* x, const float* a, const float* b, const float* e, float* dx, int64_t area) {
  const Incoming in{incoming, parts, relu_output};
  for (int64_t c = 0; c < channels; c += static_cast<int64_t>(hn::Lanes(d))) {
    const V va = hn::LoadU(d, a + c), vb = hn::LoadU(d, b + c), ve = hn::LoadU(d, e + c);
    for (int64_t i = c; i < area * channels; i += channels) {
      V g = gradient != nullptr ? hn::LoadU(d, gradient + i) : in(i);
      hn::StoreU(hn::Add(hn::Add(hn::Mul(g, va), hn::Mul(hn::LoadU(d, x + i), vb)), ve), d, dx + i);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lockstep::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::cpu {
HWY_EXPORT(Sum);
HWY_EXPORT(SquareSum);
HWY_EXPORT(Apply);
HWY_EXPORT(BackwardSums);
HWY_EXPORT(BackwardApply);

void norm_sum(const float* x, int64_t area, float* sum) { HWY_DYNAMIC_DISPATCH(Sum)(x, area, sum); }
void norm_square_sum(const float* x, const float* mean, int64_t area, float* sum) {
  HWY_DYNAMIC_DISPATCH(SquareSum)(x, mean, area, sum);
}
void norm_apply(const float* x, const float* factor, const float* offset, const float* other, float* y,
                int64_t area, NormTail tail) {
  HWY_DYNAMIC_DISPATCH(Apply)(x, factor, offset, other, y, area, tail);
}
void norm_backward_sums(const float* const* incoming, int parts, const float* relu_output, const float* x,
                        const float* mean, float* gradient, int64_t area, float* sum, float* dot) {
  HWY_DYNAMIC_DISPATCH(BackwardSums)(incoming, parts, relu_output, x, mean, gradient, area, sum, dot);
}
void norm_backward_apply(const float* gradient, const float* const* incoming, int parts,
                         const float* relu_output, const float* x, const float* a, const float* b,
                         const float* d, float* dx, int64_t area) {
  HWY_DYNAMIC_DISPATCH(BackwardApply)(gradient, incoming, parts, relu_output, x, a, b, d, dx, area);
}
}  // namespace lockstep::cpu
#endif
