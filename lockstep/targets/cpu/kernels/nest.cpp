#include "lockstep/targets/cpu/kernels/nest.h"

namespace lockstep::cpu {

Shape memory_axes(const Shape& shape, Layout order) {
  if (order == Layout::plain) return shape;
  return {shape[0], shape[1] / block, shape[2], shape[3], block};
}

Shape broadcast_strides(const Shape& from, Layout from_order, const Shape& to, Layout to_order) {
  Shape strides(to.size(), 0);
  if (from_order == Layout::blocked) {
    int64_t area = from[2] * from[3];
    strides = {from[1] * area, block * area, from[3] * block, block};
  } else {
    Shape own = strides_of(from);
    std::copy(own.begin(), own.end(), strides.end() - static_cast<int64_t>(own.size()));
  }
  size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == 1) strides[lead + d] = 0;
  if (to_order == Layout::plain) return strides;
  if (from_order == Layout::blocked)
    strides.push_back(1);
  else {
    strides.push_back(strides[1]);  // channel within its block
    strides[1] *= block;
  }
  return strides;
}

}  // namespace lockstep::cpu
