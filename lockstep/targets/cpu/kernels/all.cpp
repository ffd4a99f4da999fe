// All kernels, best first for each op.
#include "lockstep/targets/cpu/kernels/batch_norm.h"
#include "lockstep/targets/cpu/kernels/eval_wrapper.h"
#include "lockstep/targets/cpu/onednn/conv.h"

namespace lockstep::cpu {
namespace {

void append(std::vector<Kernel>& list, std::vector<Kernel> more) { list.insert(list.end(), more.begin(), more.end()); }

}  // namespace

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> list = [] {
    std::vector<Kernel> all;
    append(all, onednn_conv_kernels());
    append(all, batch_norm_forward_kernels());
    append(all, batch_norm_backward_kernels());
    all.push_back(eval_wrapper_kernel());
    return all;
  }();
  return list;
}

}  // namespace lockstep::cpu
