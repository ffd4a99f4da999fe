#include "lockstep/targets/cpu/kernels/gather.h"

#include <algorithm>
#include <cstddef>

#include "lockstep/ops/gather.h"
#include "lockstep/targets/cpu/kernels/loops.h"
#include "lockstep/targets/cpu/kernels/rows.h"

namespace lockstep::cpu {
namespace {

/// Elements behind the first `rank` axes.
int64_t width_behind(const Shape& shape, size_t rank) {
  return elements(Shape(shape.begin() + static_cast<int64_t>(rank), shape.end()));
}

// ---- gather: rows are bytes, of any type -----------------------------------------------------------------

struct Args {
  Ref table, index, y;
  int64_t rows, row_bytes;
  Cut cut;  ///< of the index
};

template <class Index>
void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const std::byte* table = f.at<std::byte>(a.table);
  const Index* index = f.at<Index>(a.index);
  std::byte* y = f.at<std::byte>(a.y);
  for (int64_t i = a.cut.begin(p); i < a.cut.end(p); ++i) {
    if (index[i] >= 0 && index[i] < a.rows) {
      std::copy_n(table + index[i] * a.row_bytes, a.row_bytes, y + i * a.row_bytes);
    } else {
      f.fault->raise("gather: index out of range");
      std::fill_n(y + i * a.row_bytes, a.row_bytes, std::byte{0});
    }
  }
}

Fit fits(const GroupView& g) { return all_plain(g) ? yes() : no("a blocked operand"); }

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Type table = g.type(s.reads[0]), index = g.type(s.reads[1]);
  int64_t width = width_behind(table.shape, 1);
  Args a{sink.ref(s.reads[0]), sink.ref(s.reads[1]),          sink.ref(s.writes[0]),
         table.shape[0],       width * bytes_of(table.dtype), cut_rows(index.elements(), width)};
  if (index.dtype == DType::i32)
    sink.emit<part<int32_t>>(a, a.cut.parts);
  else
    sink.emit<part<int64_t>>(a, a.cut.parts);
}

// ---- gather_backward -------------------------------------------------------------------------------------

struct BackwardArgs {
  Ref dy, index, dtable;
  int64_t count, rows, width;
  BinaryLoop add;
  Cut cut;  ///< of the rows of the table: each part reads the whole index, in order
};

template <class Index>
void backward_part(const BackwardArgs& a, const Frame& f, int64_t p) noexcept {
  const float* dy = f.at<float>(a.dy);
  const Index* index = f.at<Index>(a.index);
  float* dtable = f.at<float>(a.dtable);
  int64_t begin = a.cut.begin(p), end = a.cut.end(p);
  std::fill(dtable + begin * a.width, dtable + end * a.width, 0.0f);
  for (int64_t i = 0; i < a.count; ++i) {
    if (index[i] < 0 || index[i] >= a.rows) f.fault->raise("gather_backward: index out of range");
    if (index[i] < begin || index[i] >= end) continue;
    float* row = dtable + index[i] * a.width;
    a.add(row, dy + i * a.width, row, a.width);
  }
}

Fit fits_backward(const GroupView& g) {
  if (g.type(g.step().reads[0]).dtype != DType::f32) return no("not f32");
  return fits(g);
}

void lower_backward(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  Type dy = g.type(s.reads[0]), index = g.type(s.reads[1]);
  int64_t rows = g.attrs<GatherBackward>().rows, count = index.elements(),
          width = width_behind(dy.shape, index.shape.size());
  int64_t work = (rows + count) * width;  // a part has no less of it than of reading the index
  int64_t parts = std::clamp<int64_t>(work / std::max(stream_grain, count), 1, 64);
  BackwardArgs a{sink.ref(s.reads[0]),
                 sink.ref(s.reads[1]),
                 sink.ref(s.writes[0]),
                 count,
                 rows,
                 width,
                 loops().add.both,
                 Cut(rows, std::max<int64_t>(1, (rows + parts - 1) / parts))};
  if (index.dtype == DType::i32)
    sink.emit<backward_part<int32_t>>(a, a.cut.parts);
  else
    sink.emit<backward_part<int64_t>>(a, a.cut.parts);
}

}  // namespace

Kernel gather_kernel() { return {"gather", {"gather"}, fits, lower}; }
Kernel gather_backward_kernel() {
  return {"gather_backward", {"gather_backward"}, fits_backward, lower_backward};
}

}  // namespace lockstep::cpu
