#include "lockstep/ops/matmul.h"

#include "lockstep/ops/positions.h"
#include "lockstep/ops/reshape.h"
#include "lockstep/ops/transpose.h"

namespace lockstep {

namespace {
struct Sizes {
  Shape lead;
  int64_t m = 0, k = 0, n = 0;
  bool shared_b = false;  ///< one (K, N) for all leading indices
};

Sizes sizes_of(const Matmul& op, const Types& in) {
  const Shape &a = in[0].shape, &b = in[1].shape;
  check_float(op.info.name, "a", in[0]);
  if (in[0].dtype != in[1].dtype)
    refuse(op.info.name, "a and b must have one element type", inputs_text(op.info, in));
  if (a.size() < 2 || b.size() < 2)
    refuse(op.info.name, "a and b must have at least two axes", inputs_text(op.info, in),
           "a (..., M, K), b (..., K, N) or (K, N)");
  Sizes s{{a.begin(), a.end() - 2},
          a[a.size() - 2],
          a[a.size() - 1],
          b[b.size() - 1],
          b.size() == 2 && a.size() > 2};
  int64_t rows = b[b.size() - 2];
  if (op.transpose_a) std::swap(s.m, s.k);
  if (op.transpose_b) std::swap(rows, s.n);
  if (s.k != rows)
    refuse(op.info.name, "the inner sizes of a and b differ",
           inputs_text(op.info, in) + (record_text(op).empty() ? "" : " " + record_text(op)),
           "a (..., M, K), b (..., K, N)");
  if (!s.shared_b && s.lead != Shape(b.begin(), b.end() - 2))
    refuse(op.info.name, "the leading sizes of a and b differ", inputs_text(op.info, in),
           "equal leading sizes, or b with two axes");
  return s;
}
}  // namespace

Types Matmul::infer(const Types& in) const {
  auto s = sizes_of(*this, in);
  Type out{in[0].dtype, s.lead};
  out.shape.push_back(s.m);
  out.shape.push_back(s.n);
  check_shape(info.name, out.shape);
  return {out};
}

Values Matmul::grad(NodeView node, const Values& grads) const {
  Value a = node.in(0), b = node.in(1), dy = grads[0];
  auto s = sizes_of(*this, {a.type(), b.type()});
  if (!s.shared_b)
    return {transpose_a ? matmul(b, dy, transpose_b, true) : matmul(dy, b, false, !transpose_b),
            transpose_b ? matmul(dy, a, true, transpose_a) : matmul(a, dy, !transpose_a, false)};
  Value da = matmul(dy, b, false, !transpose_b);  // (..., M, K)
  int64_t all = elements(s.lead) * s.m;
  Value rows = reshape(transpose_a ? transpose_last(a) : a, {all, s.k}), dy_rows = reshape(dy, {all, s.n});
  return {transpose_a ? transpose_last(da) : da,
          transpose_b ? matmul(dy_rows, rows, true, false) : matmul(rows, dy_rows, true, false)};
}

void Matmul::eval(Args args) const {
  const Tensor &a = *args.in[0], &b = *args.in[1];
  auto [lead, m, k, n, shared_b] = sizes_of(*this, {a.type, b.type});
  for (int64_t l = 0; l < elements(lead); ++l)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t c = 0; c < k; ++c)
          sum += a.real[l * m * k + (transpose_a ? c * m + i : i * k + c)] *
                 b.real[(shared_b ? 0 : l) * k * n + (transpose_b ? j * k + c : c * n + j)];
        args.out[0]->real[(l * m + i) * n + j] = sum;
      }
}

Cost Matmul::cost(const Types& in) const {
  return streaming_cost(in, infer(in), 2 * static_cast<double>(sizes_of(*this, in).k));
}

OpCases Matmul::cases() {
  OpCases all;
  auto one = [&](const char* a, const char* b, bool ta = false, bool tb = false) {
    all.push_back(op_case(Matmul{ta, tb}, {parse_type(a), parse_type(b)}));
  };
  one("f32[2,3]", "f32[3,5]");
  one("f64[3,2]", "f64[3,5]", true);
  one("f64[2,3]", "f64[5,3]", false, true);
  one("f64[3,2]", "f64[5,3]", true, true);
  one("f64[2,5,3]", "f64[2,3,7]");
  one("f64[2,3,5]", "f64[2,3,7]", true);
  one("f64[2,5,3]", "f64[2,7,3]", false, true);
  one("f64[2,3,5]", "f64[2,7,3]", true, true);
  one("f64[2,1,5,3]", "f64[3,7]");
  one("f64[2,3,5]", "f64[3,7]", true);
  one("f32[2,5,3]", "f32[7,3]", false, true);
  one("f32[2,3,5]", "f32[7,3]", true, true);
  one("f32[1,1]", "f32[1,1]");
  one("f32[0,3]", "f32[3,2]");
  one("f32[2,0]", "f32[0,3]");
  one("f32[0,2,3]", "f32[3,5]");
  one("f16[3,5]", "f16[5,1]");
  one("bf16[1,7]", "bf16[7,3]");
  return all;
}

Value matmul(Value a, Value b, bool transpose_a, bool transpose_b, Site site) {
  return emit_one(Matmul{transpose_a, transpose_b}, {a, b}, site);
}

}  // namespace lockstep
