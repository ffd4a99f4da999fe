// Single ops, optimizer forms and schedules against PyTorch in double: tests/fixtures/*.safetensors, which
// scripts/parity writes. What the fixtures hold is said there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lockstep/formats/safetensors.h"
#include "lockstep/ir/interpret.h"
#include "lockstep/ops/batch_norm.h"
#include "lockstep/ops/conv.h"
#include "lockstep/ops/cross_entropy.h"
#include "lockstep/ops/pool.h"
#include "lockstep/ops/running_average.h"
#include "lockstep/ops/sgd.h"
#include "lockstep/optim/schedule.h"

namespace lockstep {
namespace {

std::filesystem::path fixture(const std::string& name) {
  const char* root = std::getenv("LOCKSTEP_SOURCE_DIR");
  return std::filesystem::path(root ? root : ".") / "tests/fixtures" / name;
}

class Fixture {
 public:
  explicit Fixture(const std::string& name) : file_(fixture(name)) {}
  bool has(const std::string& name) const { return file_.find(name) != nullptr; }
  /// Floats of any width come as f64, so that ops compute and compare in double.
  Tensor operator()(const std::string& name) const {
    const auto* view = file_.find(name);
    if (!view) throw data_error("the fixture has no tensor '" + name + "'");
    Tensor t(view->type);
    load(t, view->data);
    if (t.is_real()) t.type.dtype = DType::f64;
    return t;
  }
  nlohmann::json about(const std::string& name) const {
    return nlohmann::json::parse(file_.metadata().at(name));
  }

 private:
  SafetensorsFile file_;
};

template <class T>
Tensors run(const T& op, const Tensors& inputs) {
  std::vector<const Tensor*> in;
  Types types;
  for (const auto& t : inputs) {
    in.push_back(&t);
    types.push_back(t.type);
  }
  op.infer(types);
  return evaluate(op_row<T>(), &op, in, {.in_double = true});
}

Tensor scalar(double v) {
  Tensor t(Type{DType::f64, {}});
  t.real[0] = v;
  return t;
}
Tensor truth(bool v) {
  Tensor t(Type{DType::pred, {}});
  t.whole[0] = v;
  return t;
}
Tensor filled(const Shape& shape, double v) {
  Tensor t(Type{DType::f64, shape});
  t.real.assign(t.real.size(), v);
  return t;
}

void expect_equal(const Tensor& got, const Tensor& want, double tolerance, const std::string& what) {
  ASSERT_EQ(got.type, want.type) << what;
  for (int64_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got.real[i], want.real[i], tolerance * std::max(1.0, std::abs(want.real[i])))
        << what << " at " << i;
}

constexpr double tolerance = 1e-9;

std::vector<std::string> cases_named(const Fixture& f, const std::string& prefix) {
  std::vector<std::string> names;
  for (const std::string name : f.about("cases"))
    if (name.starts_with(prefix)) names.push_back(name);
  EXPECT_FALSE(names.empty()) << prefix;
  return names;
}

TEST(TorchParity, Conv) {
  Fixture f("ops.safetensors");
  for (const auto& name : cases_named(f, "conv_")) {
    auto about = f.about(name);
    ConvAttrs attrs;
    attrs.strides = about["stride"].get<Shape>();
    attrs.dilations = about["dilation"].get<Shape>();
    attrs.pads = {about["pad_top"], about["pad_left"], about["pad_bottom"], about["pad_right"]};
    attrs.groups = about["groups"];
    auto x = f(name + "/x"), w = f(name + "/w"), y = f(name + "/y"), dy = f(name + "/dy");
    if (f.has(name + "/b")) {
      auto b = f(name + "/b");
      int64_t plane = y.shape()[2] * y.shape()[3];
      for (int64_t i = 0; i < y.size(); ++i) y.real[i] -= b.real[i / plane % y.shape()[1]];
    }
    expect_equal(run(Conv{attrs}, {x, w})[0], y, tolerance, name);
    expect_equal(run(ConvBackwardData{attrs, x.shape()}, {dy, w})[0], f(name + "/dx"), tolerance,
                 name + " dx");
    expect_equal(run(ConvBackwardWeights{attrs, w.shape()}, {x, dy})[0], f(name + "/dw"), tolerance,
                 name + " dw");
  }
}

PoolAttrs pool_attrs(const nlohmann::json& about) {
  Shape pad = about["padding"].get<Shape>();
  return {about["kernel"].get<Shape>(),
          about["stride"].get<Shape>(),
          {pad[0], pad[1], pad[0], pad[1]},
          Padding::given};
}

TEST(TorchParity, MaxPool) {
  Fixture f("ops.safetensors");
  for (const auto& name : cases_named(f, "max_pool_")) {
    auto attrs = pool_attrs(f.about(name));
    auto x = f(name + "/x"), y = f(name + "/y"), dy = f(name + "/dy");
    expect_equal(run(MaxPool{attrs}, {x})[0], y, 0, name);
    expect_equal(run(MaxPoolBackward{attrs}, {x, y, dy})[0], f(name + "/dx"), tolerance, name + " dx");
  }
}

TEST(TorchParity, AvgPool) {
  Fixture f("ops.safetensors");
  auto names = cases_named(f, "avg_pool_");
  names.push_back("global_avg_pool");
  for (const auto& name : names) {
    auto about = f.about(name);
    auto x = f(name + "/x"), dy = f(name + "/dy");
    bool global = name == "global_avg_pool";
    PoolAttrs attrs = global ? PoolAttrs{{x.shape()[2], x.shape()[3]}, {1, 1}, {0, 0, 0, 0}, Padding::given}
                             : pool_attrs(about);
    bool count = !global && about["count_include_pad"].get<bool>();
    expect_equal(run(AvgPool{attrs, count}, {x})[0], f(name + "/y"), tolerance, name);
    expect_equal(run(AvgPoolBackward{attrs, count, x.shape()}, {dy})[0], f(name + "/dx"), tolerance,
                 name + " dx");
  }
}

TEST(TorchParity, BatchNormTraining) {
  Fixture f("ops.safetensors");
  for (const auto& name : cases_named(f, "batch_norm_")) {
    auto about = f.about(name);
    if (!about["training"]) continue;
    double eps = about["eps"], momentum = about["momentum"];
    auto x = f(name + "/x"), dy = f(name + "/dy");
    int64_t channels = x.shape()[1], count = x.size() / channels;
    bool affine = about["affine"];
    auto scale = affine ? f(name + "/gamma") : filled({channels}, 1);
    auto shift = affine ? f(name + "/beta") : filled({channels}, 0);
    auto out = run(BatchNorm{eps}, {x, scale, shift});
    expect_equal(out[0], f(name + "/y"), tolerance, name);
    auto back = run(BatchNormBackward{eps}, {dy, x, scale, out[1], out[2]});
    expect_equal(back[0], f(name + "/dx"), tolerance, name + " dx");
    if (affine) {
      expect_equal(back[1], f(name + "/dgamma"), tolerance, name + " dscale");
      expect_equal(back[2], f(name + "/dbeta"), tolerance, name + " dshift");
    }
    auto mean = run(RunningAverage{momentum, 0}, {f(name + "/running_mean_in"), out[1], truth(true)})[0];
    auto var = run(RunningAverage{momentum, count}, {f(name + "/running_var_in"), out[2], truth(true)})[0];
    expect_equal(mean, f(name + "/running_mean"), tolerance, name + " running mean");
    expect_equal(var, f(name + "/running_var"), tolerance, name + " running var");
    if (name == "batch_norm_h7") {  // three values per channel; torch normalises by the biased variance,
                                    // keeps the other
      double want[] = {12, 109, 16.0 / 3, 4.0 / 3};
      for (int c = 0; c < 4; ++c) EXPECT_NEAR(var.real[c], want[c], 1e-12);
      for (int c = 0; c < 4; ++c) EXPECT_NEAR(out[2].real[c], want[c] * 2 / 3, 1e-12);
    }
  }
}

TEST(TorchParity, BatchNormInference) {
  Fixture f("ops.safetensors");
  std::string name = "batch_norm_eval";
  Graph graph;
  std::map<std::string, Tensor> sources;
  auto stream = [&](const std::string& key) {
    auto t = f(name + "/" + key);
    sources[key] = t;
    return graph.stream(key, t.type);
  };
  auto x = stream("x"), gamma = stream("gamma"), beta = stream("beta"), mean = stream("running_mean_in"),
       var = stream("running_var_in"), dy = stream("dy");
  BatchNormInference op{f.about(name)["eps"]};
  auto y = batch_norm_inference(x, gamma, beta, mean, var, op.eps);
  auto grads = op.grad({&graph, graph.producer(y.id)}, {dy});
  auto values = interpret(graph, sources, {.in_double = true}).values;
  expect_equal(values[y.id], f(name + "/y"), tolerance, "y");
  expect_equal(values[grads[0].id], f(name + "/dx"), tolerance, "dx");
  expect_equal(values[grads[1].id], f(name + "/dgamma"), tolerance, "dscale");
  expect_equal(values[grads[2].id], f(name + "/dbeta"), tolerance, "dshift");
}

TEST(TorchParity, CrossEntropy) {
  Fixture f("ops.safetensors");
  for (const auto& name : cases_named(f, "cross_entropy_")) {
    auto about = f.about(name);
    double smoothing = about["label_smoothing"];
    auto x = f(name + "/x"), label = f(name + "/label");
    auto out = run(CrossEntropy{smoothing}, {x, label});
    expect_equal(out[0], f(name + "/loss_rows"), tolerance, name);
    auto rows = x.shape()[0];
    auto dloss = filled({rows}, about["reduction"] == "mean" ? 1.0 / static_cast<double>(rows) : 1.0);
    auto dx = run(CrossEntropyBackward{smoothing}, {dloss, x, label, out[1]})[0];
    expect_equal(dx, f(name + "/dx"), tolerance, name + " dx");
  }
}

TEST(TorchParity, SgdForms) {
  Fixture f("sgd_forms.safetensors");
  auto grads = f("grad"), rates = f("lr");
  int64_t steps = grads.shape()[0], size = grads.shape()[1];
  auto row = [&](const Tensor& t, int64_t i) {
    Tensor r(Type{DType::f64, {size}});
    std::copy_n(t.real.begin() + i * size, size, r.real.begin());
    return r;
  };
  for (const std::string name : f.about("variants")) {
    auto about = f.about(name);
    SgdAttrs attrs{about["lr_in_buffer"].get<bool>() ? SgdForm::rate_inside : SgdForm::rate_outside,
                   about["momentum"], about["nesterov"], about["weight_decay"]};
    auto w = f("init/param"), m = filled({size}, 0), want_w = f(name + "/param");
    for (int64_t i = 0; i < steps; ++i) {
      auto out = run(Sgd{attrs}, {w, row(grads, i), m, scalar(rates.real[i]), truth(true)});
      w = out[0];
      m = out[1];
      expect_equal(w, row(want_w, i), 1e-12, name + " w, step " + std::to_string(i));
      if (f.has(name + "/buffer"))
        expect_equal(m, row(f(name + "/buffer"), i), 1e-12, name + " m, step " + std::to_string(i));
    }
  }
}

TEST(TorchParity, Schedules) {
  Fixture f("schedules.safetensors");
  auto about = [&](const std::string& name) { return f.about(name); };
  auto cycle = about("one_cycle"), cosine = about("cosine_annealing"), multi = about("multi_step"),
       step = about("step"), poly = about("polynomial"), warm = about("linear_warmup");
  double div = cycle["div_factor"], final_div = cycle["final_div_factor"], warm_rate = warm["base_lr"],
         start = warm["start_factor"];
  std::map<std::string, Schedule> schedules{
      {"one_cycle", OneCycle{.rate = cycle["max_lr"],
                             .start_factor = 1 / div,
                             .end_factor = 1 / (div * final_div),
                             .warm_share = cycle["pct_start"]}},
      {"cosine_annealing", CosineDecay{.rate = cosine["base_lr"], .end = cosine["eta_min"]}},
      {"step", StepDecay{.rate = step["base_lr"], .milestones = {10, 20, 30, 40}, .factor = step["gamma"]}},
      {"multi_step", StepDecay{.rate = multi["base_lr"],
                               .milestones = multi["milestones"].get<Shape>(),
                               .factor = multi["gamma"]}},
      {"polynomial", PolynomialDecay{.rate = poly["base_lr"], .power = poly["power"]}},
      {"linear_warmup",
       ConstantRate{
           .rate = warm_rate, .warmup_steps = warm["total_iters"], .warmup_start = warm_rate * start}}};
  EXPECT_EQ(step["step_size"], 10);
  for (const std::string name : about("schedules")) {
    ASSERT_TRUE(schedules.contains(name)) << name;
    auto want = f(name);
    auto steps = want.size();
    auto table = rate_table(schedules.at(name), steps);
    for (int64_t i = 0; i < steps; ++i) {
      EXPECT_NEAR(rate_at(schedules.at(name), i, steps), want.real[i], 1e-12 * want.real[i])
          << name << " step " << i;
      EXPECT_EQ(table[i], static_cast<float>(rate_at(schedules.at(name), i, steps)));
    }
  }
  // The defaults are torch's.
  EXPECT_DOUBLE_EQ(OneCycle{}.start_factor, 1 / div);
  EXPECT_DOUBLE_EQ(OneCycle{}.end_factor, 1 / (div * final_div));
}

}  // namespace
}  // namespace lockstep
