#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lockstep/targets/cpu/kernels/stem_loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lockstep/targets/cpu/kernels/stem_loops.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
constexpr hn::CappedTag<float, 8> d;
using V = hn::Vec<decltype(d)>;
constexpr int64_t lanes_in_block = 8;

/// The number of taps is a constant so that the accumulators stay in registers.
template <int kTaps>
void Taps(const float* x, int64_t row_step, int64_t column_step, int64_t tap_step, const float* dy,
          int64_t height, int64_t width, float* sums) {
  for (int64_t c = 0; c < lanes_in_block; c += static_cast<int64_t>(hn::Lanes(d))) {
    V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (int64_t i = 0; i < height; ++i) {
      const float* row = x + i * row_step;
      const float* g = dy + i * width * lanes_in_block + c;
      for (int64_t j = 0; j < width; ++j, row += column_step, g += lanes_in_block) {
        const V v = hn::LoadU(d, g);
        s0 = hn::MulAdd(v, hn::Set(d, row[0]), s0);
        if constexpr (kTaps > 1) s1 = hn::MulAdd(v, hn::Set(d, row[tap_step]), s1);
        if constexpr (kTaps > 2) s2 = hn::MulAdd(v, hn::Set(d, row[2 * tap_step]), s2);
        if constexpr (kTaps > 3) s3 = hn::MulAdd(v, hn::Set(d, row[3 * tap_step]), s3);
        if constexpr (kTaps > 4) s4 = hn::MulAdd(v, hn::Set(d, row[4 * tap_step]), s4);
        if constexpr (kTaps > 5) s5 = hn::MulAdd(v, hn::Set(d, row[5 * tap_step]), s5);
        if constexpr (kTaps > 6) s6 = hn::MulAdd(v, hn::Set(d, row[6 * tap_step]), s6);
        if constexpr (kTaps > 7) s7 = hn::MulAdd(v, hn::Set(d, row[7 * tap_step]), s7);
      }
    }
    const V all[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
    for (int t = 0; t < kTaps; ++t) {
      float* to = sums + t * lanes_in_block + c;
      hn::StoreU(hn::Add(hn::LoadU(d, to), all[t]), d, to);
    }
  }
}

void StemTaps(const float* x, int64_t row_step, int64_t column_step, int64_t tap_step, const float* dy,
              int64_t height, int64_t width, int64_t taps, float* sums) {
  switch (taps) {
    case 1:
      return Taps<1>(x, row_step, column_step, tap_step, dy, height, width, sums);
    case 2:
      return Taps<2>(x, row_step, column_step, tap_step, dy, height, width, sums);
    case 3:
      return Taps<3>(x, row_step, column_step, tap_step, dy, height, width, sums);
    case 4:
      return Taps<4>(x, row_step, column_step, tap_step, dy, height, width, sums);
    case 5:
      return Taps<5>(x, row_step, column_step, tap_step, dy, height, width, sums);
    case 6:
      return Taps<6>(x, row_step, column_step, tap_step, dy, height, width, sums);
    case 7:
      return Taps<7>(x, row_step, column_step, tap_step, dy, height, width, sums);
    default:
      return Taps<8>(x, row_step, column_step, tap_step, dy, height, width, sums);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace lockstep::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::cpu {
HWY_EXPORT(StemTaps);
void stem_taps(const float* x, int64_t row_step, int64_t column_step, int64_t tap_step, const float* dy,
               int64_t height, int64_t width, int64_t taps, float* sums) {
  HWY_DYNAMIC_DISPATCH(StemTaps)(x, row_step, column_step, tap_step, dy, height, width, taps, sums);
}
}  // namespace lockstep::cpu
#endif
