#include "lockstep/targets/cpu/layout.h"

#include <algorithm>
#include <array>

namespace lockstep::cpu {
namespace {

/// Operands of convolutions that hold images (the others hold weights and stay plain).
struct ImageOperands {
  std::string_view op;
  std::vector<int> reads, writes;
};
const std::array<ImageOperands, 3>& contractions() {
  static const std::array<ImageOperands, 3> table{
      {{"conv", {0}, {0}}, {"conv_backward_data", {0}, {0}}, {"conv_backward_weights", {0, 1}, {}}}};
  return table;
}

/// Ops that take any layout as long as all their image operands share it.
bool follows(std::string_view op) {
  static constexpr std::array<std::string_view, 28> names{"batch_norm",
                                                          "batch_norm_backward",
                                                          "batch_norm_inference",
                                                          "relu",
                                                          "relu_backward",
                                                          "add",
                                                          "sub",
                                                          "mul",
                                                          "sum_n",
                                                          "scale",
                                                          "shift",
                                                          "max_pool",
                                                          "avg_pool",
                                                          "max_pool_backward",
                                                          "avg_pool_backward",
                                                          "dropout",
                                                          "neg",
                                                          "exp",
                                                          "tanh",
                                                          "sigmoid",
                                                          "square",
                                                          "abs",
                                                          "sqrt",
                                                          "broadcast_to",
                                                          "select",
                                                          "maximum",
                                                          "minimum",
                                                          "reduce_mean"};
  return std::find(names.begin(), names.end(), op) != names.end();
}

bool image(const Bundle& bundle, const Program& program, const Operand& o) {
  return o.kind == OperandKind::value && can_block(bundle.type_of(program, o));
}

bool channels_agree(const Bundle& bundle, const Program& program, const Step& s) {
  int64_t channels = -1;
  for (const auto* list : {&s.reads, &s.writes})
    for (const auto& o : *list) {
      auto type = bundle.type_of(program, o);
      if (type.shape.size() != 4) continue;
      if (channels >= 0 && type.shape[1] != channels) return false;
      channels = type.shape[1];
    }
  return true;
}

}  // namespace

bool can_block(const Type& type) {
  return type.dtype == DType::f32 && type.shape.size() == 4 && type.shape[1] > 0 &&
         type.shape[1] % block == 0;
}

std::vector<Layout> choose_layouts(const Bundle& bundle, const Program& program) {
  std::vector<Layout> layouts(program.values.size(), Layout::plain);
  std::vector<const Step*> followers;
  auto mark = [&](const Operand& o) {
    if (!image(bundle, program, o) || layouts[o.id] == Layout::blocked) return false;
    layouts[o.id] = Layout::blocked;
    return true;
  };
  for_each_step(program.steps, [&](const Step& s, int) {
    if (s.kind != StepKind::run) return;
    for (const auto& c : contractions()) {
      if (s.op->info.name != c.op) continue;
      for (int r : c.reads) mark(s.reads[r]);
      for (int w : c.writes) mark(s.writes[w]);
    }
    if (follows(s.op->info.name) && channels_agree(bundle, program, s)) followers.push_back(&s);
  });
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto* s : followers) {
      bool any = false;
      for (const auto* list : {&s->reads, &s->writes})
        for (const auto& o : *list)
          any = any || (o.kind == OperandKind::value && layouts[o.id] == Layout::blocked);
      if (!any) continue;
      for (const auto* list : {&s->reads, &s->writes})
        for (const auto& o : *list) changed = mark(o) || changed;
    }
  }
  return layouts;
}

void to_blocked(const float* plain, float* blocked, const Shape& shape) {
  int64_t channels = shape[1], area = shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < area; ++p)
        blocked[((n * channels / block + c / block) * area + p) * block + c % block] =
            plain[(n * channels + c) * area + p];
}

void to_plain(const float* blocked, float* plain, const Shape& shape) {
  int64_t channels = shape[1], area = shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < area; ++p)
        plain[(n * channels + c) * area + p] =
            blocked[((n * channels / block + c / block) * area + p) * block + c % block];
}

}  // namespace lockstep::cpu
