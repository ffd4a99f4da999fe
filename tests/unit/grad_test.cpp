// Reverse mode against differences, and what it does with sums and with what the loss does not depend on.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lockstep/grad/autodiff.h"
#include "lockstep/ir/interpret.h"
#include "lockstep/ir/parse.h"
#include "lockstep/ir/print.h"
#include "lockstep/ir/verify.h"
#include "lockstep/ops/all.h"
#include "lockstep/ops/constant.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/matmul.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/softmax.h"
#include "lockstep/ops/transpose.h"
#include "tests/support/golden.h"

namespace lockstep {
namespace {

/// A random expression over w (3,3) and u (3,3): values are read any number of times.
Value random_loss(Value w, Value u, std::mt19937_64& random) {
  Values pool{w, u};
  auto any = [&] { return pool[random() % pool.size()]; };
  for (int i = 0; i < 8; ++i) {
    Value made;
    switch (random() % 10) {
      case 0:
        made = add(any(), any());
        break;
      case 1:
        made = sub(any(), any());
        break;
      case 2:
        made = tanh(mul(any(), any()));
        break;
      case 3:
        made = matmul(any(), scale(any(), 0.5), random() % 2 == 0, random() % 2 == 0);
        break;
      case 4:
        made = sigmoid(any());
        break;
      case 5:
        made = softmax(any(), static_cast<int64_t>(random() % 2));
        break;
      case 6:
        made = transpose(any(), {1, 0});
        break;
      case 7:
        made = square(tanh(any()));
        break;
      case 8:
        made = add(any(), reduce_mean(any(), {0}, false));
        break;
      default:
        made = div(any(), shift(square(any()), 1.5));
        break;
    }
    pool.push_back(made);
  }
  return reduce_sum(add(pool[pool.size() - 1], pool[pool.size() - 2]), {}, false);
}

TEST(Gradients, AgreeWithDifferences) {
  const Type square_f64{DType::f64, {3, 3}};
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Graph graph("random");
    auto w = graph.stream("w", square_f64), u = graph.stream("u", square_f64);
    auto loss = random_loss(w, u, random);
    graph.output("loss", loss);
    auto grads = gradients(loss, constant(graph, 1, {DType::f64, {}}), {w, u});
    for (size_t i = 0; i < 2; ++i)
      if (grads[i]) graph.output(i == 0 ? "dw" : "du", grads[i]);
    verify(graph);
    SCOPED_TRACE(print(graph));

    std::map<std::string, Tensor> at;
    std::normal_distribution<double> normal;
    for (const char* name : {"w", "u"}) {
      at[name] = Tensor(square_f64);
      for (auto& v : at[name].real) v = normal(random);
    }
    auto outputs = interpret(graph, at).outputs;
    for (auto [source, gradient] : {std::pair{"w", "dw"}, {"u", "du"}})
      for (int k = 0; k < 9; k += 4) {
        auto loss_at = [&](double shift_by) {
          auto moved = at;
          moved[source].real[k] += shift_by;
          return interpret(graph, moved).outputs.at("loss").real[0];
        };
        constexpr double step = 1e-5;
        double numeric = (loss_at(step) - loss_at(-step)) / (2 * step);
        double got = outputs.contains(gradient) ? outputs.at(gradient).real[k] : 0;
        EXPECT_NEAR(got, numeric, 1e-6 * std::max(1.0, std::abs(numeric))) << gradient << "[" << k << "]";
      }
  }
}

TEST(Gradients, AreMarkedAndKeepTheBuildersState) {
  Graph graph("g");
  auto w = graph.stream("w", {DType::f32, {2}});
  graph.set_scope("layer");
  auto y = square(w);
  graph.set_scope("here");
  size_t forward = graph.nodes().size();
  gradients(y, constant(graph, 1, y.type()), {w});
  EXPECT_EQ(graph.scope_name(), "here");
  EXPECT_EQ(graph.phase, Phase::forward);
  ASSERT_GT(graph.nodes().size(), forward + 1);
  for (size_t n = forward + 1; n < graph.nodes().size(); ++n) {
    EXPECT_EQ(graph.nodes()[n].phase, Phase::backward);
    EXPECT_EQ(graph.nodes()[n].name, "layer");
  }
}

TEST(Gradients, OfWhatTheLossDoesNotReadAreEmpty) {
  Graph graph("g");
  Type type{DType::f32, {2}};
  auto w = graph.stream("w", type), apart = graph.stream("apart", type);
  auto loss = exp(w);
  exp(apart);
  auto grads = gradients(loss, constant(graph, 1, type), {w, apart, loss});
  ASSERT_EQ(grads.size(), 3u);
  EXPECT_TRUE(grads[0]);
  EXPECT_FALSE(grads[1]);
  ASSERT_TRUE(grads[2]);  // of the loss itself: the seed
  EXPECT_EQ(graph.nodes()[graph.producer(grads[2].id)].op->info.name, "constant");
}

TEST(Gradients, RefuseASeedOfAnotherType) {
  Graph graph("g");
  auto w = graph.stream("w", {DType::f32, {2}});
  EXPECT_THROW(gradients(exp(w), constant(graph, 1, {DType::f32, {}}), {w}), Error);
}

TEST(Gradients, AreAsWritten) {
  check_golden("tests/text/autodiff.ls", [](const GoldenCase& c) {
    auto graph = parse_graph(c.input, op_named, c.name);
    Values wrt;
    std::vector<std::string> names;
    for (const auto& s : graph.sources()) {
      if (s.kind != SourceKind::variable || !s.variable.trainable) continue;
      wrt.push_back(graph.value(s.value));
      names.push_back(s.name);
    }
    Value loss;
    for (const auto& o : graph.outputs())
      if (o.name == "loss") loss = graph.value(o.value);
    auto grads = gradients(loss, constant(graph, 1, loss.type()), wrt);
    for (size_t i = 0; i < grads.size(); ++i)
      if (grads[i]) graph.output("grad." + names[i], grads[i]);
    verify(graph);
    return print(graph);
  });
}

}  // namespace
}  // namespace lockstep
