// Compiles the including file once per instruction set: baseline, AVX2, AVX-512 (Highway's AVX3). No include
// guard, on purpose: the file is read again for each. The including file begins with
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "lockstep/targets/cpu/kernels/<itself>.cpp"
//   #include "lockstep/targets/cpu/kernels/simd-inl.h"
// puts its loops between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE into lockstep::cpu::HWY_NAMESPACE, ends
// them with a function that returns a table of them, and chooses that table under HWY_ONCE with HWY_EXPORT
// and HWY_DYNAMIC_DISPATCH.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif
#include <hwy/foreach_target.h>  // first, as it includes the file again
#include <hwy/highway.h>         // by itself also per target
