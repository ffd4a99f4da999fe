#include "lockstep/targets/cpu/kernels/reduce.h"

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/positions.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/targets/cpu/kernels/loops.h"
#include "lockstep/targets/cpu/kernels/nest.h"

namespace lockstep::cpu {
namespace {

// The memory axes of x are kept or summed. A result is a row of `width` floats side by side (the last axis,
// if kept; else 1): y[k, :] = sum over r of x[kept(k) + summed(r), :], summed in order of r, sums along a
// contiguous axis apart.
struct Args {
  Ref x, y, partial{};  ///< partial: (parts, results) when the summed axes are cut
  Nest<1> kept{}, summed{};
  int64_t width = 1;
  int64_t results = 0;  ///< elements of y
  float divisor = 1;
  Cut kept_cut{}, summed_cut{};  ///< one of them has one part
};

/// Floats of a row that make a unit of kept work.
constexpr int64_t columns = 256;
int64_t units_of_row(const Args& a) { return std::max<int64_t>(1, (a.width + columns - 1) / columns); }

/// y[k, begin..end-1] = sum over the summed elements `from`..`to`-1.
void sum_row(const Args& a, const Loops& l, const float* x, float* y, int64_t count, int64_t from,
             int64_t to) {
  std::fill_n(y, count, 0.0f);
  int64_t stride = a.summed.inner_stride(0);
  walk(a.summed, from, to, [&](int64_t, const auto& offset, int64_t rows) {
    if (a.width == 1 && stride == 1)
      *y += l.sum(x + offset[0], rows);
    else
      l.add_rows(x + offset[0], rows, stride, y, count);
  });
}

void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const Loops& l = loops();
  const float* x = f.at<float>(a.x);
  bool whole = a.summed_cut.parts == 1;
  float* y = whole ? f.at<float>(a.y) : f.at<float>(a.partial) + p * a.results;
  int64_t kept_part = whole ? p : 0, summed_part = whole ? 0 : p, in_row = units_of_row(a);
  walk(a.kept, a.kept_cut.begin(kept_part) / in_row, (a.kept_cut.end(kept_part) + in_row - 1) / in_row,
       [&](int64_t first, const auto& offset, int64_t count) {
         for (int64_t k = 0; k < count; ++k) {
           int64_t row = first + k;
           int64_t unit = std::max(a.kept_cut.begin(kept_part), row * in_row) - row * in_row;
           int64_t end_unit = std::min(a.kept_cut.end(kept_part), (row + 1) * in_row) - row * in_row;
           int64_t begin = unit * columns, end = std::min(end_unit * columns, a.width);
           sum_row(a, l, x + offset[0] + k * a.kept.inner_stride(0) + begin, y + row * a.width + begin,
                   end - begin, a.summed_cut.begin(summed_part), a.summed_cut.end(summed_part));
         }
       });
  if (whole && a.divisor != 1 && a.results > 0) {
    int64_t begin = a.kept_cut.begin(p), end = a.kept_cut.end(p);
    auto column = [&](int64_t unit) {
      return unit / in_row * a.width + std::min(unit % in_row * columns, a.width);
    };
    for (int64_t i = column(begin); i < column(end); ++i) y[i] /= a.divisor;
  }
}

/// Adds the partial sums in the order of the parts.
void add_partial(const Args& a, const Frame& f, int64_t) noexcept {
  const float* partial = f.at<float>(a.partial);
  float* y = f.at<float>(a.y);
  std::fill_n(y, a.results, 0.0f);
  loops().add_rows(partial, a.summed_cut.parts, a.results, y, a.results);
  if (a.divisor != 1)
    for (int64_t i = 0; i < a.results; ++i) y[i] /= a.divisor;
}

/// `gone[d]`: logical axis d of x is summed.
void emit(const GroupView& g, CallSink& sink, std::vector<bool> gone, bool mean) {
  const Step& s = g.step();
  Type x = g.type(s.reads[0]);
  Layout order = order_in_memory(g, s.reads[0]);
  Shape axes = memory_axes(x.shape, order), strides = strides_of(axes);
  if (order == Layout::blocked) gone.push_back(gone[1]);

  Args a{.x = sink.ref(s.reads[0]), .y = sink.ref(s.writes[0])};
  size_t rank = axes.size();
  while (rank > 0 && !gone[rank - 1]) a.width *= axes[--rank];
  Shape kept, kept_strides, summed, summed_strides;
  for (size_t d = 0; d < rank; ++d) {
    (gone[d] ? summed : kept).push_back(axes[d]);
    (gone[d] ? summed_strides : kept_strides).push_back(strides[d]);
  }
  a.kept = Nest<1>(kept, {kept_strides});
  a.summed = Nest<1>(summed, {summed_strides});
  a.results = a.kept.size() * a.width;
  int64_t terms = a.summed.size();
  if (mean) a.divisor = static_cast<float>(terms);

  int64_t units = a.kept.size() * units_of_row(a), work = a.results * terms;
  Cut by_kept(units, std::max<int64_t>(1, stream_grain * units / std::max<int64_t>(1, work)));
  Cut by_summed(terms, std::max<int64_t>(1, stream_grain / std::max<int64_t>(1, a.results)));
  bool cut_sums = work >= 2 * stream_grain && by_kept.parts < 8 && by_summed.parts > by_kept.parts &&
                  a.results <= stream_grain;
  a.kept_cut = cut_sums ? Cut(units, units + 1) : by_kept;
  a.summed_cut = cut_sums ? by_summed : Cut(terms, terms + 1);
  if (cut_sums) a.partial = sink.scratch(by_summed.parts * a.results * static_cast<int64_t>(sizeof(float)));
  sink.emit<part>(a, std::max(a.kept_cut.parts, a.summed_cut.parts));
  if (cut_sums) sink.emit<add_partial>(a, 1);
}

Fit fits(const GroupView& g, const std::vector<bool>& gone) {
  if (!all_f32(g)) return no("not f32");
  if (!is_plain(g, g.step().writes[0])) return no("a blocked result");
  if (gone.size() >= Nest<1>::most) return no("too many axes");
  bool channels_stay = !is_plain(g, g.step().reads[0]) && !gone[1];
  if (channels_stay && !(gone[2] && gone[3]))
    return no("a blocked operand whose channels and places both stay");
  return yes();
}

template <class Op>
std::vector<bool> axes_gone(const GroupView& g) {
  const Op& op = g.attrs<Op>();
  Shape x = g.type(g.step().reads[0]).shape;
  std::vector<bool> gone(x.size(), true);
  if constexpr (std::is_same_v<Op, SumTo>) {
    size_t lead = x.size() - op.shape.size();
    for (size_t d = lead; d < x.size(); ++d) gone[d] = op.shape[d - lead] == 1;
  } else if (!op.axes.empty()) {
    gone.assign(x.size(), false);
    for (auto axis : op.axes) gone[resolve_axis(Op::info.name, axis, x.size())] = true;
  }
  return gone;
}

template <class Op>
Kernel kernel_of() {
  constexpr std::string_view name = Op::info.name;
  return {name,
          {name},
          [](const GroupView& g) { return fits(g, axes_gone<Op>(g)); },
          [](const GroupView& g, CallSink& sink) {
            emit(g, sink, axes_gone<Op>(g), std::is_same_v<Op, ReduceMean>);
          }};
}

}  // namespace

Kernel reduce_sum_kernel() { return kernel_of<ReduceSum>(); }
Kernel reduce_mean_kernel() { return kernel_of<ReduceMean>(); }
Kernel sum_to_kernel() { return kernel_of<SumTo>(); }

}  // namespace lockstep::cpu
