#include "lockstep/targets/cpu/kernels/dropout.h"

#include <algorithm>

#include "lockstep/ops/dropout.h"
#include "lockstep/targets/cpu/kernels/fit.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref x, seed, step, key, y;
  float rate;
  uint64_t use;
  int64_t row, draws;  ///< elements of a row, and draws of four words it needs
  int64_t area;        ///< places of a channel when blocked, 0 when plain
  Cut cut;             ///< of the draws of all rows
};

/// Where element i of a row, counted in (channel, height, width), lies in memory.
int64_t place_of(const Args& a, int64_t i) {
  if (a.area == 0) return i;
  int64_t channel = i / a.area, place = i % a.area;
  return (channel / block * a.area + place) * block + channel % block;
}

void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const float* x = f.at<float>(a.x);
  const uint64_t* key = f.at<uint64_t>(a.key);
  float* y = f.at<float>(a.y);
  uint64_t stream = dropout_stream(*f.at<uint64_t>(a.seed), *f.at<int64_t>(a.step), a.use);
  double scale = 1.0 / (1.0 - static_cast<double>(a.rate));
  for (int64_t d = a.cut.begin(p); d < a.cut.end(p); ++d) {
    int64_t b = d / a.draws, first = d % a.draws * 4;
    auto words = philox(stream, key[b], static_cast<uint64_t>(first / 4));
    for (int64_t i = first; i < std::min(first + 4, a.row); ++i) {
      int64_t at = b * a.row + place_of(a, i);
      y[at] =
          uniform24(words[i - first]) >= a.rate ? static_cast<float>(static_cast<double>(x[at]) * scale) : 0;
    }
  }
}

Fit fits(const GroupView& g) {
  if (g.type(g.step().writes[0]).dtype != DType::f32) return no("not f32");
  return in_one_order(g) ? yes() : no("operands of two layouts");
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  const auto& op = g.attrs<Dropout>();
  Shape shape = g.type(s.writes[0]).shape;
  int64_t rows = shape[0], row = elements(Shape(shape.begin() + 1, shape.end()));
  Args a{sink.ref(s.reads[0]),
         sink.ref(s.reads[1]),
         sink.ref(s.reads[2]),
         sink.ref(s.reads[3]),
         sink.ref(s.writes[0]),
         op.rate,
         op.use,
         row,
         (row + 3) / 4,
         is_plain(g, s.writes[0]) ? 0 : shape[2] * shape[3],
         {}};
  a.cut = Cut(rows * a.draws, stream_grain / 16);
  sink.emit<part>(a, a.cut.parts);
}

}  // namespace

Kernel dropout_kernel() { return {"dropout", {"dropout"}, fits, lower}; }

}  // namespace lockstep::cpu
