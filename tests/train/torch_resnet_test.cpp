// Numbers against a stranger: losses, gradients, logits and final variables of a small ResNet against a
// stored PyTorch run in double (scripts/parity/resnet_small.py).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "lockstep/formats/safetensors.h"
#include "lockstep/grad/autodiff.h"
#include "lockstep/ir/interpret.h"
#include "lockstep/models/layers.h"
#include "lockstep/ops/all_finite.h"
#include "lockstep/ops/constant.h"
#include "lockstep/ops/counter.h"
#include "lockstep/ops/cross_entropy.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/gather.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/optim/optimizer.h"
#include "lockstep/passes/pass.h"
#include "lockstep/targets/target.h"

namespace lockstep {
namespace {

constexpr int64_t steps = 10, batch = 6;
const Type image_type{DType::f32, {batch, 1, 12, 10}};

Tensor stored(const SafetensorsFile& file, const std::string& name) {
  const auto* view = file.find(name);
  EXPECT_NE(view, nullptr) << name;
  std::vector<uint8_t> aligned(view->data, view->data + view->type.bytes());
  Tensor t(view->type);
  load(t, aligned.data());
  return t;
}

/// The network of the script: a basic block, a basic block with stride, a bottleneck with groups.
Value small_logits(Layers& layers, Value x) {
  auto conv_norm = [&](Value in, const char* conv_name, const char* norm_name, int64_t channels,
                       int64_t kernel, int64_t stride, int64_t groups = 1) {
    ConvAttrs a;
    a.strides = {stride, stride};
    a.pads = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
    a.groups = groups;
    return layers.batch_norm2d(layers.conv2d(in, conv_name, channels, kernel, a, WeightInit::he_normal),
                               norm_name);
  };
  auto shortcut = [&](Value in, int64_t channels) {
    auto scope = layers.scope("downsample");
    return conv_norm(in, "0", "1", channels, 1, 2);
  };
  x = relu(conv_norm(x, "conv1", "bn1", 8, 3, 1));
  {
    auto scope = layers.scope("layer1.0");
    auto y = conv_norm(relu(conv_norm(x, "conv1", "bn1", 8, 3, 1)), "conv2", "bn2", 8, 3, 1);
    x = relu(add(y, x));
  }
  {
    auto scope = layers.scope("layer2.0");
    auto y = conv_norm(relu(conv_norm(x, "conv1", "bn1", 16, 3, 2)), "conv2", "bn2", 16, 3, 1);
    x = relu(add(y, shortcut(x, 16)));
  }
  {
    auto scope = layers.scope("layer3.0");
    auto y = relu(conv_norm(relu(conv_norm(x, "conv1", "bn1", 8, 1, 1)), "conv2", "bn2", 8, 3, 2, 2));
    y = conv_norm(y, "conv3", "bn3", 32, 1, 1);
    x = relu(add(y, shortcut(x, 32)));
  }
  return layers.linear(layers.global_average_pool(x), "fc", 10, WeightInit::torch_linear);
}

/// The training step, with every gradient as an output.
Graph small_training(const std::vector<float>& rates) {
  Graph g("resnet_small");
  auto image = g.stream("image", image_type), label = g.stream("label", {DType::i32, {batch}});
  auto step = g.variable("step", {DType::i64, {}}, {Role::counter});
  Layers layers(g, Mode::train, NormOptions{});
  auto logits = small_logits(layers, image);
  auto loss = reduce_mean(cross_entropy(logits, label, 0.1).loss, {0});
  g.phase = Phase::backward;
  auto grads = gradients(loss, constant(g, 1, {DType::f32, {}}), layers.parameters());
  g.phase = Phase::update;
  Values checked = grads;
  checked.push_back(loss);
  auto finite = all_finite(checked);
  auto rate = gather(g.table("learning_rate", rates), step);
  SgdOptimizer sgd;
  sgd.nesterov = true;
  sgd.weight_decay = 1e-3;
  for (size_t i = 0; i < grads.size(); ++i) {
    auto name = g.source_of(layers.parameters()[i].id)->name;
    append_update(g, sgd, {layers.parameters()[i], grads[i], rate, finite});
    g.output("grad/" + name, grads[i]);
  }
  layers.update_statistics(finite);
  g.assign(step, advance(step, finite));
  g.output("loss", loss);
  g.output("logits", logits);
  g.stage = GraphStage::trained;
  return g;
}

Graph small_inference() {
  Graph g("resnet_small_eval");
  auto image = g.stream("image", image_type);
  Layers layers(g, Mode::infer, NormOptions{});
  g.output("logits", small_logits(layers, image));
  g.stage = GraphStage::trained;
  return g;
}

/// ||a - b|| / ||b||, 0 when both vanish.
double distance(const Tensor& a, const Tensor& b) {
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < b.size(); ++i) {
    difference += (a.real[i] - b.real[i]) * (a.real[i] - b.real[i]);
    norm += b.real[i] * b.real[i];
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

std::vector<float> floats(const Tensor& t) { return {t.real.begin(), t.real.end()}; }

Tensor slice_of(const Tensor& all, int64_t index, Type type) {
  Tensor t(std::move(type));
  for (int64_t i = 0; i < t.size(); ++i) t.set(i, all.at(index * t.size() + i));
  return t;
}

class TorchResnet : public testing::Test {
 protected:
  SafetensorsFile file{"tests/fixtures/resnet_small.safetensors"};
};

TEST_F(TorchResnet, RefInDoubleAgreesTo1e9) {
  auto graph = small_training(floats(stored(file, "lr")));
  run_passes(graph);
  std::map<std::string, Tensor> state;
  for (const auto& s : graph.sources()) {
    if (s.kind != SourceKind::variable) continue;
    Tensor t(graph.type(s.value));
    if (file.find("init/" + s.name) != nullptr) t.real = stored(file, "init/" + s.name).real;
    state[s.name] = t;
  }
  auto images = stored(file, "image"), labels = stored(file, "label"), losses = stored(file, "loss");
  int gradients_compared = 0;
  for (int64_t k = 0; k < steps; ++k) {
    state["image"] = slice_of(images, k, image_type);
    state["label"] = slice_of(labels, k, {DType::i32, {batch}});
    auto made = interpret(graph, state, {.in_double = true});
    EXPECT_NEAR(made.outputs.at("loss").real[0] / losses.real[k], 1, 1e-9) << "step " << k;
    if (k == 0) EXPECT_LT(distance(made.outputs.at("logits"), stored(file, "logits0")), 1e-9);
    if (k == 0 || k == 9)
      for (const auto& [name, tensor] : made.outputs)
        if (name.starts_with("grad/")) {
          EXPECT_LT(distance(tensor, stored(file, "grad" + std::to_string(k) + name.substr(4))), 1e-9)
              << name << " step " << k;
          ++gradients_compared;
        }
    for (auto& [name, tensor] : made.assigned) state[name] = tensor;
  }
  EXPECT_EQ(gradients_compared, 2 * 32);
  for (const auto& view : file.tensors())
    if (view.name.starts_with("final/"))
      EXPECT_LT(distance(state.at(view.name.substr(6)), stored(file, view.name)), 1e-9) << view.name;
  auto inference = small_inference();
  run_passes(inference);
  state["image"] = slice_of(images, 0, image_type);
  EXPECT_LT(distance(interpret(inference, state, {.in_double = true}).outputs.at("logits"),
                     stored(file, "eval_logits")),
            1e-9);
}

/// One slot, always full.
class OneBatch final : public StreamSource {
 public:
  explicit OneBatch(const Program& program) {
    for (const auto& s : program.streams) bytes_.emplace_back(static_cast<size_t>(s.type.bytes()) + 64);
  }
  std::byte* base(int stream) override { return bytes_[stream].data(); }
  int64_t slot_bytes(int) const override { return 0; }
  bool wait_full(int64_t) noexcept override { return true; }
  void release(int64_t) noexcept override {}

 private:
  std::vector<std::vector<std::byte>> bytes_;
};

TEST_F(TorchResnet, CpuInSinglePrecisionAgreesTo1e4) {
  auto graph = small_training(floats(stored(file, "lr")));
  auto inference = small_inference();
  run_passes(graph);
  run_passes(inference);
  Bundle bundle;
  bundle.name = "resnet_small";
  add_program(bundle, graph, "train", {.steps_per_call = 1, .ring_slots = 1});
  add_program(bundle, inference, "eval", {.steps_per_call = 1, .ring_slots = 1});
  run_passes(bundle);
  auto executable = target_named("cpu").lower(bundle, {.threads = 2});
  for (size_t v = 0; v < bundle.variables.size(); ++v) {
    Tensor t(bundle.variables[v].type);
    if (file.find("init/" + bundle.variables[v].name) != nullptr)
      t.real = stored(file, "init/" + bundle.variables[v].name).real;
    std::vector<std::byte> bytes(static_cast<size_t>(t.type.bytes()));
    store(t, bytes.data());
    executable->write_variable(static_cast<int>(v), bytes.data());
  }
  const auto& train = bundle.program("train");
  OneBatch source(train), eval_source(bundle.program("eval"));
  executable->connect(bundle.find_program("train"), &source);
  executable->connect(bundle.find_program("eval"), &eval_source);
  auto output = [&](const std::string& program, const std::string& name) {
    int port = bundle.program(program).find_output(name);
    Tensor t(bundle.program(program).outputs[port].type);
    load(t, executable->output(bundle.find_program(program), port, 0));
    return t;
  };
  auto images = stored(file, "image"), labels = stored(file, "label"), losses = stored(file, "loss");
  double worst_gradient = 0;
  for (int64_t k = 0; k < steps; ++k) {
    store(slice_of(images, k, image_type), source.base(train.find_stream("image")));
    store(slice_of(labels, k, {DType::i32, {batch}}), source.base(train.find_stream("label")));
    auto result = executable->run(bundle.find_program("train"), k, 1);
    ASSERT_TRUE(result.ok) << result.fault;
    EXPECT_NEAR(output("train", "loss").real[0] / losses.real[k], 1, 1e-4) << "step " << k;
    if (k != 0 && k != 9) continue;
    for (const auto& o : train.outputs)
      if (o.name.starts_with("grad/")) {
        double d =
            distance(output("train", o.name), stored(file, "grad" + std::to_string(k) + o.name.substr(4)));
        worst_gradient = std::max(worst_gradient, d);
        EXPECT_LT(d, 1e-4) << o.name << " step " << k;
      }
  }
  for (const auto& v : bundle.variables) {
    if (file.find("final/" + v.name) == nullptr) continue;
    Tensor t(v.type);
    std::vector<std::byte> bytes(static_cast<size_t>(v.type.bytes()));
    executable->read_variable(bundle.find_variable(v.name), bytes.data());
    load(t, bytes.data());
    EXPECT_LT(distance(t, stored(file, "final/" + v.name)), 1e-4) << v.name;
  }
  store(slice_of(images, 0, image_type), eval_source.base(0));
  ASSERT_TRUE(executable->run(bundle.find_program("eval"), 0, 1).ok);
  EXPECT_LT(distance(output("eval", "logits"), stored(file, "eval_logits")), 1e-4);
  RecordProperty("worst_gradient", std::to_string(worst_gradient));
}

}  // namespace
}  // namespace lockstep
