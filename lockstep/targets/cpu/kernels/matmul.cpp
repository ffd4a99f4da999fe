#include "lockstep/targets/cpu/kernels/matmul.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>

#include "lockstep/ops/matmul.h"
#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref a, b, y;
  bool transpose_a, transpose_b;
  int64_t m, k, n;
  int64_t b_step;  ///< from one matrix of b to the next; 0: one for all
  Cut rows;        ///< of one product
};

/// Part: product number p / rows.parts, block of rows p % rows.parts. The library cuts nothing further, as
/// the threads of a team let it use one thread each.
void part(const Args& args, const Frame& f, int64_t p) noexcept {
  int64_t product = p / args.rows.parts, begin = args.rows.begin(p % args.rows.parts),
          end = args.rows.end(p % args.rows.parts);
  if (begin >= end || args.n == 0) return;
  float* y = f.at<float>(args.y) + (product * args.m + begin) * args.n;
  if (args.k == 0) {
    std::fill_n(y, (end - begin) * args.n, 0.0f);
    return;
  }
  const float* a =
      f.at<float>(args.a) + product * args.m * args.k + (args.transpose_a ? begin : begin * args.k);
  const float* b = f.at<float>(args.b) + product * args.b_step;
  auto status = dnnl_sgemm(args.transpose_a ? 'T' : 'N', args.transpose_b ? 'T' : 'N', end - begin, args.n,
                           args.k, 1.0f, a, args.transpose_a ? args.m : args.k, b,
                           args.transpose_b ? args.k : args.n, 0.0f, y, args.n);
  if (status != dnnl_success) f.fault->raise("matmul: the product failed in the library (out of memory?)");
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  const auto& op = g.attrs<Matmul>();
  Shape a = g.type(s.reads[0]).shape, b = g.type(s.reads[1]).shape, y = g.type(s.writes[0]).shape;
  size_t last = y.size() - 1;
  Args args{sink.ref(s.reads[0]),
            sink.ref(s.reads[1]),
            sink.ref(s.writes[0]),
            op.transpose_a,
            op.transpose_b,
            y[last - 1],
            op.transpose_a ? a[last - 1] : a[last],
            y[last],
            0,
            {}};
  int64_t products = elements(Shape(y.begin(), y.end() - 2));
  if (b.size() > 2)
    args.b_step = args.k * args.n;
  else if (!op.transpose_a) {  // one b for all: the rows of all products follow each other
    args.m *= products;
    products = 1;
  }
  int64_t row_flops = std::max<int64_t>(1, 2 * args.k * args.n);
  args.rows = Cut(args.m, std::max<int64_t>(8, 2'000'000 / row_flops));
  sink.emit<part>(args, products * args.rows.parts);
}

}  // namespace

Kernel matmul_kernel() { return {"matmul", {"matmul"}, fits_plain_f32, lower}; }

}  // namespace lockstep::cpu
