#include "lockstep/targets/cpu/onednn/conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "lockstep/ops/conv.h"
#include "lockstep/targets/cpu/onednn/context.h"

namespace lockstep::cpu {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;

constexpr int64_t forward_parts = 16;
constexpr int64_t weight_parts = 8;
constexpr int64_t weight_partial_limit = int64_t{64} << 20;  // bytes of partial weight gradients worth having

/// A convolution as oneDNN describes it, on `images` images.
struct Geometry {
  memory::dims x, w, y, strides, dilations, pad_begin, pad_end;
  int64_t groups;
  memory::desc x_desc, w_any, w_plain, y_desc;
};

memory::desc image_desc(const memory::dims& dims, Layout layout) {
  return {dims, memory::data_type::f32, layout == Layout::blocked ? Tag::nChw8c : Tag::nchw};
}

Geometry geometry(const ConvAttrs& a, Shape x, const Shape& w, Shape y, Layout x_layout, Layout y_layout,
                  int64_t images) {
  x[0] = y[0] = images;
  auto windows = make_windows("conv", x, {w[2], w[3]}, a.strides, a.dilations, a.padding, a.pads);
  Geometry g;
  g.x = x;
  g.y = y;
  g.groups = a.groups;
  g.w = a.groups == 1 ? memory::dims{w[0], w[1], w[2], w[3]}
                      : memory::dims{a.groups, w[0] / a.groups, w[1], w[2], w[3]};
  for (const auto& win : windows) {
    g.strides.push_back(win.stride);
    g.dilations.push_back(win.dilation - 1);  // oneDNN counts the holes
    g.pad_begin.push_back(win.pad_begin);
    // What oneDNN needs at the end is what makes its own size formula give the output's size.
    auto axis = g.pad_begin.size() - 1;
    g.pad_end.push_back((y[2 + axis] - 1) * win.stride + win.reach() - x[2 + axis] - win.pad_begin);
  }
  g.x_desc = image_desc(g.x, x_layout);
  g.y_desc = image_desc(g.y, y_layout);
  g.w_any = {g.w, memory::data_type::f32, Tag::any};
  g.w_plain = {g.w, memory::data_type::f32, a.groups == 1 ? Tag::oihw : Tag::goihw};
  return g;
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::convolution_forward::primitive_desc forward_pd(const Geometry& g, const dnnl::engine& engine) {
  dnnl::convolution_forward::desc d(dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
                                    g.x_desc, g.w_any, g.y_desc, g.strides, g.dilations, g.pad_begin,
                                    g.pad_end);
  return {d, user_scratchpad(), engine};
}

dnnl::convolution_backward_data::primitive_desc backward_data_pd(const Geometry& g,
                                                                 const dnnl::engine& engine) {
  dnnl::convolution_backward_data::desc d(dnnl::algorithm::convolution_direct, g.x_desc, g.w_any, g.y_desc,
                                          g.strides, g.dilations, g.pad_begin, g.pad_end);
  return {d, user_scratchpad(), engine, forward_pd(g, engine)};
}

dnnl::convolution_backward_weights::primitive_desc backward_weights_pd(const Geometry& g,
                                                                       const dnnl::engine& engine) {
  dnnl::convolution_backward_weights::desc d(dnnl::algorithm::convolution_direct, g.x_desc, g.w_any, g.y_desc,
                                             g.strides, g.dilations, g.pad_begin, g.pad_end);
  return {d, user_scratchpad(), engine, forward_pd(g, engine)};
}

/// Which operands of each op are x, w and y; the same lowering serves all three.
struct Roles {
  Operand x, w, y;
  const ConvAttrs* attrs;
};

Roles roles_of(const GroupView& g) {
  const auto& s = g.step();
  if (s.op == &op_row<Conv>()) return {s.reads[0], s.reads[1], s.writes[0], &g.attrs<Conv>()};
  if (s.op == &op_row<ConvBackwardData>())
    return {s.writes[0], s.reads[1], s.reads[0], &g.attrs<ConvBackwardData>()};
  return {s.reads[0], s.writes[0], s.reads[1], &g.attrs<ConvBackwardWeights>()};
}

Geometry geometry_of(const GroupView& g, int64_t images) {
  auto r = roles_of(g);
  return geometry(*r.attrs, g.type(r.x).shape, g.type(r.w).shape, g.type(r.y).shape, g.layout(r.x),
                  g.layout(r.y), images);
}

int64_t part_bytes(const Shape& shape, int64_t images) {
  return images * elements(shape) / std::max<int64_t>(1, shape[0]) * 4;
}

template <auto make_pd>
Fit fits(const GroupView& g) {
  auto r = roles_of(g);
  if (g.type(r.x).dtype != DType::f32) return no("not f32");
  if (g.type(r.x).elements() == 0 || g.type(r.w).elements() == 0 || g.type(r.y).elements() == 0)
    return no("empty tensor");
  if (g.layout(r.w) != Layout::plain) return no("weights are not in plain layout");
  try {
    dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    auto pd = make_pd(geometry_of(g, 1), engine);
    if (std::string_view(pd.impl_info_str()).find("ref") != std::string_view::npos)
      return no("oneDNN has only its reference code for this shape");
  } catch (const dnnl::error& e) {
    return no(fmt::format("oneDNN refuses: {}", e.message));
  }
  return yes();
}

/// The weights in the layout the primitive wants; a reorder each step (weights change each step).
Ref packed_weights(const std::shared_ptr<OneDnn>& library, Ref plain, const memory::desc& plain_desc,
                   const memory::desc& wanted, CallSink& sink) {
  if (plain_desc == wanted) return plain;
  auto packed = sink.scratch(static_cast<int64_t>(wanted.get_size()));
  emit_reorder(library, plain, plain_desc, packed, wanted, sink);
  return packed;
}

void lower_forward(const GroupView& g, CallSink& sink) {
  auto r = roles_of(g);
  auto library = std::make_shared<OneDnn>(sink.threads());
  int64_t batch = g.type(r.x).shape[0], images = images_per_part(batch, forward_parts),
          parts = batch / images;
  auto geo = geometry_of(g, images);
  auto pd = forward_pd(geo, library->engine);
  auto p = std::make_shared<PartedPrimitive>();
  p->library = library;
  auto w = packed_weights(library, sink.ref(r.w), geo.w_plain, pd.weights_desc(), sink);
  p->primitive = dnnl::convolution_forward(pd);
  p->add(DNNL_ARG_SRC, sink.ref(r.x), geo.x_desc, parts, part_bytes(g.type(r.x).shape, images));
  p->add(DNNL_ARG_WEIGHTS, w, pd.weights_desc(), parts, 0);
  p->add(DNNL_ARG_DST, sink.ref(r.y), geo.y_desc, parts, part_bytes(g.type(r.y).shape, images));
  p->add_scratchpad(sink, pd.scratchpad_desc());
  PartedPrimitive::emit(p, sink, parts);
}

void lower_backward_data(const GroupView& g, CallSink& sink) {
  auto r = roles_of(g);
  auto library = std::make_shared<OneDnn>(sink.threads());
  int64_t batch = g.type(r.x).shape[0], images = images_per_part(batch, forward_parts),
          parts = batch / images;
  auto geo = geometry_of(g, images);
  auto pd = backward_data_pd(geo, library->engine);
  auto p = std::make_shared<PartedPrimitive>();
  p->library = library;
  auto w = packed_weights(library, sink.ref(r.w), geo.w_plain, pd.weights_desc(), sink);
  p->primitive = dnnl::convolution_backward_data(pd);
  p->add(DNNL_ARG_DIFF_DST, sink.ref(r.y), geo.y_desc, parts, part_bytes(g.type(r.y).shape, images));
  p->add(DNNL_ARG_WEIGHTS, w, pd.weights_desc(), parts, 0);
  p->add(DNNL_ARG_DIFF_SRC, sink.ref(r.x), geo.x_desc, parts, part_bytes(g.type(r.x).shape, images));
  p->add_scratchpad(sink, pd.scratchpad_desc());
  PartedPrimitive::emit(p, sink, parts);
}

struct SumPartialsArgs {
  Ref partial, sum;
  int64_t parts, floats;
  Cut cut;
};

/// sum[i] = ((p0 + p1) + p2) + ...: the same order for any number of threads.
void sum_partials_part(const SumPartialsArgs& a, const Frame& f, int64_t part) noexcept {
  const float* partial = f.at<const float>(a.partial);
  float* sum = f.at<float>(a.sum);
  int64_t begin = a.cut.begin(part), end = a.cut.end(part);
  for (int64_t i = begin; i < end; ++i) sum[i] = partial[i];
  for (int64_t p = 1; p < a.parts; ++p) {
    const float* one = partial + p * a.floats;
    for (int64_t i = begin; i < end; ++i) sum[i] += one[i];
  }
}

void lower_backward_weights(const GroupView& g, CallSink& sink) {
  auto r = roles_of(g);
  auto library = std::make_shared<OneDnn>(sink.threads());
  int64_t batch = g.type(r.x).shape[0];
  int64_t wanted =
      g.type(r.w).bytes() * weight_parts > weight_partial_limit ? weight_parts / 2 : weight_parts;
  int64_t images = images_per_part(batch, wanted), parts = batch / images;
  auto geo = geometry_of(g, images);
  auto pd = backward_weights_pd(geo, library->engine);
  auto packed = pd.diff_weights_desc();
  auto packed_bytes = static_cast<int64_t>(packed.get_size() + 63) / 64 * 64;
  bool direct = packed == geo.w_plain;
  auto partial = sink.scratch(packed_bytes * parts);
  auto p = std::make_shared<PartedPrimitive>();
  p->library = library;
  p->primitive = dnnl::convolution_backward_weights(pd);
  p->add(DNNL_ARG_SRC, sink.ref(r.x), geo.x_desc, parts, part_bytes(g.type(r.x).shape, images));
  p->add(DNNL_ARG_DIFF_DST, sink.ref(r.y), geo.y_desc, parts, part_bytes(g.type(r.y).shape, images));
  p->add(DNNL_ARG_DIFF_WEIGHTS, partial, packed, parts, packed_bytes);
  p->add_scratchpad(sink, pd.scratchpad_desc());
  PartedPrimitive::emit(p, sink, parts);
  auto dw = sink.ref(r.w);
  auto sum = direct ? dw : sink.scratch(packed_bytes);
  SumPartialsArgs s{partial, sum, parts, packed_bytes / 4,
                    Cut(static_cast<int64_t>(packed.get_size()) / 4, 4096)};
  sink.emit<sum_partials_part>(s, s.cut.parts);
  if (!direct) emit_reorder(library, sum, packed, dw, geo.w_plain, sink);
}

}  // namespace

std::vector<Kernel> onednn_conv_kernels() {
  return {
      {"onednn_conv", {"conv"}, fits<forward_pd>, lower_forward},
      {"onednn_conv_backward_data", {"conv_backward_data"}, fits<backward_data_pd>, lower_backward_data},
      {"onednn_conv_backward_weights",
       {"conv_backward_weights"},
       fits<backward_weights_pd>,
       lower_backward_weights},
  };
}

}  // namespace lockstep::cpu
