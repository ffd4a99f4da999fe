// All kernels, best first for each op: the explicit list that lowering walks.
#include "lockstep/targets/cpu/kernels/all_finite.h"
#include "lockstep/targets/cpu/kernels/batch_norm.h"
#include "lockstep/targets/cpu/kernels/binary.h"
#include "lockstep/targets/cpu/kernels/cast.h"
#include "lockstep/targets/cpu/kernels/constant.h"
#include "lockstep/targets/cpu/kernels/counter.h"
#include "lockstep/targets/cpu/kernels/cross_entropy.h"
#include "lockstep/targets/cpu/kernels/dropout.h"
#include "lockstep/targets/cpu/kernels/eval_wrapper.h"
#include "lockstep/targets/cpu/kernels/gather.h"
#include "lockstep/targets/cpu/kernels/matmul.h"
#include "lockstep/targets/cpu/kernels/move.h"
#include "lockstep/targets/cpu/kernels/pool.h"
#include "lockstep/targets/cpu/kernels/reduce.h"
#include "lockstep/targets/cpu/kernels/running_average.h"
#include "lockstep/targets/cpu/kernels/select.h"
#include "lockstep/targets/cpu/kernels/sgd.h"
#include "lockstep/targets/cpu/kernels/softmax.h"
#include "lockstep/targets/cpu/kernels/stem_conv.h"
#include "lockstep/targets/cpu/kernels/sum_n.h"
#include "lockstep/targets/cpu/kernels/top_k.h"
#include "lockstep/targets/cpu/kernels/unary.h"
#include "lockstep/targets/cpu/onednn/conv.h"

namespace lockstep::cpu {
namespace {

void append(std::vector<Kernel>& list, std::vector<Kernel> more) {
  list.insert(list.end(), more.begin(), more.end());
}

std::vector<Kernel> make_list() {
  std::vector<Kernel> list;
  list.push_back(stem_conv_backward_weights_kernel());
  append(list, onednn_conv_kernels());
  append(list, batch_norm_forward_kernels());
  append(list, batch_norm_backward_kernels());
  append(list, {all_finite_kernel()});
  append(list, {add_kernel(), sub_kernel(), mul_kernel(), div_kernel(), maximum_kernel(), minimum_kernel(),
                relu_backward_kernel()});
  append(list, {cast_kernel()});
  append(list, {constant_kernel()});
  append(list, {advance_kernel()});
  append(list, {cross_entropy_kernel(), cross_entropy_backward_kernel()});
  append(list, {dropout_kernel()});
  append(list, {gather_kernel(), gather_backward_kernel()});
  append(list, {matmul_kernel()});
  append(list, {reshape_kernel(), transpose_kernel(), broadcast_to_kernel(), slice_kernel()});
  append(list,
         {max_pool_kernel(), max_pool_backward_kernel(), avg_pool_kernel(), avg_pool_backward_kernel()});
  append(list, {reduce_sum_kernel(), reduce_mean_kernel(), sum_to_kernel()});
  append(list, {running_average_kernel()});
  append(list, {select_kernel()});
  append(list, {sgd_kernel()});
  append(list, {softmax_kernel(), log_softmax_kernel()});
  append(list, {sum_n_kernel()});
  append(list, {top_k_correct_kernel()});
  append(list,
         {neg_kernel(), exp_kernel(), log_kernel(), sqrt_kernel(), rsqrt_kernel(), tanh_kernel(),
          sigmoid_kernel(), relu_kernel(), abs_kernel(), square_kernel(), scale_kernel(), shift_kernel()});
  list.push_back(eval_wrapper_kernel());  // last: it takes any op, slowly
  return list;
}

}  // namespace

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> list = make_list();
  return list;
}

}  // namespace lockstep::cpu
