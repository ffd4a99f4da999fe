#include "lockstep/models/layers.h"

#include <cmath>

#include "lockstep/ops/batch_norm.h"
#include "lockstep/ops/dropout.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/matmul.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/reshape.h"
#include "lockstep/ops/running_average.h"

namespace lockstep {

void Layers::set_randomness(Value seed, Value step, Value sample_key) {
  seed_ = seed;
  step_ = step;
  sample_key_ = sample_key;
}

Value Layers::parameter(std::string_view name, Shape shape, Role role, Init init, double scale) {
  VariableInfo info{role, true, init, scale, {}};
  auto v = graph_.variable(graph_.scoped(name), {DType::f32, std::move(shape)}, info);
  parameters_.push_back(v);
  return v;
}

Value Layers::weight(Shape shape, WeightInit init) {
  double fan_in = static_cast<double>(elements(shape)) / static_cast<double>(shape[0]);
  double receptive = shape.size() > 2 ? fan_in / static_cast<double>(shape[1]) : 1;
  double fan_out = static_cast<double>(shape[0]) * receptive;
  switch (init) {
    case WeightInit::he_normal:  // TensorFlow he_normal: the deviation after the cut is sqrt(2/fan_in)
      return parameter("weight", shape, Role::weight, Init::truncated_normal,
                       std::sqrt(2 / fan_in) / 0.87962566103423978);
    case WeightInit::he_fan_out:  // torchvision resnet: kaiming_normal_, fan_out
      return parameter("weight", shape, Role::weight, Init::normal, std::sqrt(2 / fan_out));
    case WeightInit::glorot_uniform:
      return parameter("weight", shape, Role::weight, Init::uniform, std::sqrt(6 / (fan_in + fan_out)));
    case WeightInit::torch_linear:  // torch.nn.Linear: kaiming_uniform_(a=sqrt(5)) = U(+-1/sqrt(fan_in))
      return parameter("weight", shape, Role::weight, Init::uniform, 1 / std::sqrt(fan_in));
    case WeightInit::normal_001:
      break;
  }
  return parameter("weight", shape, Role::weight, Init::normal, 0.01);
}

Value Layers::conv2d(Value x, std::string_view name, int64_t channels, int64_t kernel, ConvAttrs attrs,
                     WeightInit init, Site site) {
  auto in_layer = scope(name);
  if (x.shape().size() != 4)
    refuse("conv2d", "x must be (batch, channels, height, width)", shape_text(x.shape()), "4 axes");
  auto w = weight({channels, x.shape()[1] / attrs.groups, kernel, kernel}, init);
  return conv(x, w, attrs, site);
}

Value Layers::batch_norm2d(Value x, std::string_view name, double scale_init, Site site) {
  auto in_layer = scope(name);
  Shape channels{x.shape().at(1)};
  auto scale = parameter("weight", channels, Role::norm_scale, scale_init == 0 ? Init::zeros : Init::ones, 0);
  auto shift = parameter("bias", channels, Role::norm_shift, Init::zeros, 0);
  VariableInfo info{Role::statistic, false, Init::zeros, 0, graph_.scope_name()};
  auto mean = graph_.variable(graph_.scoped("running_mean"), {DType::f32, channels}, info);
  info.init = Init::ones;
  auto var = graph_.variable(graph_.scoped("running_var"), {DType::f32, channels}, info);
  auto eps = norm_.eps;
  if (mode_ == Mode::infer) return batch_norm_inference(x, scale, shift, mean, var, eps, site);
  auto made = batch_norm(x, scale, shift, eps, site);
  int64_t count = channels[0] == 0 ? 0 : elements(x.shape()) / channels[0];
  statistics_.push_back({mean, made.mean, 0});
  statistics_.push_back({var, made.var, norm_.convention == NormConvention::torch ? count : 0});
  return made.y;
}

Value Layers::linear(Value x, std::string_view name, int64_t features, WeightInit init, Site site) {
  auto in_layer = scope(name);
  if (x.shape().size() != 2) refuse("linear", "x must be (batch, features)", shape_text(x.shape()), "2 axes");
  int64_t fan_in = x.shape()[1];
  auto w = weight({features, fan_in}, init);
  bool torch = init == WeightInit::torch_linear;
  auto b = parameter("bias", {features}, Role::bias, torch ? Init::uniform : Init::zeros,
                     torch ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0);
  return add(matmul(x, w, false, true, site), b, site);
}

Value Layers::drop(Value x, std::string_view name, double rate, Site site) {
  uint64_t use = next_use_++;  // counted in both modes: a mask's coordinates belong to the layer
  if (mode_ == Mode::infer || rate == 0) return x;
  auto in_layer = scope(name);
  return dropout(x, seed_, step_, sample_key_, static_cast<float>(rate), use, site);
}

Value Layers::flatten(Value x, Site site) {
  int64_t batch = x.shape().at(0);
  return reshape(x, {batch, batch == 0 ? 0 : elements(x.shape()) / batch}, site);
}

Value Layers::global_average_pool(Value x, Site site) { return reduce_mean(x, {2, 3}, false, site); }

void Layers::update_statistics(Value apply) {
  for (const auto& s : statistics_) {
    graph_.set_scope(graph_.source_of(s.running.id)->name);
    graph_.assign(s.running, running_average(s.running, s.batch, apply, norm_.momentum, s.unbiased_count));
  }
  graph_.set_scope("");
}

}  // namespace lockstep
