// From tasks to bundles: what every stage prints is read back to the same thing, and what a program must
// contain.
#include "lockstep/program/bundle.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lockstep/ir/print.h"
#include "lockstep/ir/verify.h"
#include "lockstep/ops/all.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/passes/pass.h"
#include "lockstep/program/training.h"
#include "lockstep/program/verify.h"

namespace lockstep {
namespace {

Task small_task(Model model, double loss_scale = 1) {
  Task task;
  task.name = "small";
  task.model = std::move(model);
  task.batch = 3;
  task.image = {DType::u8, {1, 8, 8}};
  task.classes = 4;
  task.mean = {0.5f};
  task.deviation = {0.25f};
  task.optimizer = SgdOptimizer{.weight_decay = 1e-4};
  task.rates = {0.1f, 0.05f};
  task.loss_scale = loss_scale;
  return task;
}

std::vector<Task> tasks() {
  Resnet net;
  net.blocks = {1, 1};
  net.width = 4;
  Resnet deep = net;
  deep.block = ResnetBlock::bottleneck;
  deep.dropout = 0.2;
  return {small_task(net), small_task(deep, 128), small_task(Mlp{{8, 6}, 0.5})};
}

void expect_round_trip(const Graph& graph) {
  auto text = print(graph);
  auto back = parse_graph(text, op_named);
  EXPECT_EQ(hash_of(back), hash_of(graph));
  EXPECT_EQ(print(back), text);
}

void expect_round_trip(const Bundle& bundle) {
  auto text = print(bundle);
  auto back = parse_bundle(text, op_named);
  EXPECT_EQ(hash_of(back), hash_of(bundle));
  EXPECT_EQ(print(back), text);
}

Bundle bundle_of(const Task& task, bool check_each_pass = false) {
  Bundle bundle;
  bundle.name = task.name;
  PipelineOptions options;
  if (check_each_pass) {
    options.after_graph_pass = [](const std::string& pass, const Graph& graph) {
      SCOPED_TRACE("after " + pass);
      expect_round_trip(graph);
    };
    options.after_bundle_pass = [](const std::string& pass, const Bundle& b) {
      SCOPED_TRACE("after " + pass);
      expect_round_trip(b);
    };
  }
  auto train = training_graph(task), eval = evaluation_graph(task);
  run_passes(train, options);
  run_passes(eval, options);
  add_program(bundle, train, "train", {.steps_per_call = 8, .ring_slots = 4});
  add_program(bundle, eval, "eval", {.steps_per_call = 2, .ring_slots = 4});
  verify(bundle);
  if (check_each_pass) expect_round_trip(bundle);
  run_passes(bundle, options);
  return bundle;
}

TEST(Bundles, EveryStagePrintsAndReadsBack) {
  for (const auto& task : tasks()) bundle_of(task, true);
}

TEST(Bundles, TheSameTaskGivesTheSameHash) {
  auto task = tasks()[0];
  auto hash = hash_of(bundle_of(task));
  EXPECT_EQ(hash_of(bundle_of(task)), hash);
  task.rates[1] = 0.04f;
  EXPECT_NE(hash_of(bundle_of(task)), hash);
}

TEST(Bundles, TrainAndEvalShareTheModel) {
  for (const auto& task : tasks()) {
    auto bundle = bundle_of(task);
    std::vector<std::set<int>> used(2);
    for (size_t p = 0; p < 2; ++p)
      for_each_step(bundle.programs[p].steps, [&](const Step& s, int) {
        for (const auto* list : {&s.reads, &s.writes})
          for (const auto& o : *list)
            if (o.kind == OperandKind::variable) used[p].insert(o.id);
      });
    for (size_t v = 0; v < bundle.variables.size(); ++v) {
      const auto& variable = bundle.variables[v];
      int id = static_cast<int>(v);
      bool of_model = variable.info.trainable || variable.info.role == Role::statistic;
      EXPECT_EQ(used[1].contains(id), of_model) << variable.name;
      // `seed` is read by dropout only, `loss_scale` only where there is one.
      if (of_model || variable.info.role == Role::optimizer_state || variable.info.role == Role::counter) {
        EXPECT_TRUE(used[0].contains(id)) << variable.name;
      }
    }
    for_each_step(bundle.program("eval").steps, [&](const Step& s, int) {
      for (const auto& w : s.writes)
        EXPECT_NE(w.kind, OperandKind::variable) << "evaluation writes a variable";
    });
  }
}

TEST(Bundles, UpdatesAreInPlace) {
  for (const auto& task : tasks()) {
    auto bundle = bundle_of(task);
    std::set<std::string> written;
    for_each_step(bundle.program("train").steps, [&](const Step& s, int) {
      EXPECT_NE(s.kind, StepKind::copy)
          << "a copy is left for " << (s.writes.empty() ? "" : bundle.variables[s.writes[0].id].name);
      for (const auto& w : s.writes)
        if (w.kind == OperandKind::variable) written.insert(bundle.variables[w.id].name);
    });
    for (const auto& v : bundle.variables) {
      bool constant = v.info.role == Role::seed || v.info.role == Role::loss_scale;
      EXPECT_EQ(written.contains(v.name), !constant) << v.name;
    }
  }
}

TEST(Bundles, ContainWhatAStepNeeds) {
  auto task = tasks()[1];
  auto bundle = bundle_of(task);
  auto text = print(bundle);
  for (const char* word :
       {"\"sample_key\" : u64[3] x4", "\"mask\" : f32[3] x4", "\"label\" : i32[3] x4",
        "\"image\" : u8[3,1,8,8] x4", "\"loss_scale\" : f32[]", "\"finite\" : pred[]", "\"step\" : i64[]",
        "\"attempt\" : i64[]", "\"seed\" : u64[]", "table &", "\"learning_rate\" = [0.1,0.05]", "all_finite(",
        "dropout{rate=0.2", "advance(", "gather(", "output ^0 \"loss\" : f32[] x8", "role=counter",
        "repeat i <= 8 {", "repeat i <= 2 {"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
  EXPECT_EQ(bundle.program("eval").find_output("correct5") >= 0, true);
  try {
    (void)bundle.program("evall");
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'eval'?"), std::string::npos) << e.what();
  }
}

TEST(Bundles, TasksThatMakeNoSenseAreRefused) {
  auto complaint = [](auto change) -> std::string {
    auto task = small_task(Mlp{{4}});
    change(task);
    try {
      training_graph(task);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::user) << e.what();
      return e.what();
    }
    return "none";
  };
  auto expect = [&](const std::string& want, const std::string& got) {
    EXPECT_NE(got.find(want), std::string::npos) << "want " << want << "\ngot " << got;
  };
  expect("none", complaint([](Task&) {}));
  expect("a batch needs at least one row", complaint([](Task& t) { t.batch = 0; }));
  expect("images must be u8 or f32", complaint([](Task& t) { t.image.shape = {}; }));
  expect("one number per image channel", complaint([](Task& t) { t.mean = {}; }));
  expect("deviation must be above 0", complaint([](Task& t) { t.deviation = {0}; }));
  expect("logits has no classes", complaint([](Task& t) { t.classes = 0; }));
}

// An assign takes effect at the end of a step and an output is what the step saw, whatever the order of the
// copies.
TEST(Bundles, AssignsTakeEffectAtOnce) {
  Graph graph("g");
  Type type{DType::f32, {2}};
  auto a = graph.variable("a", type, {}), b = graph.variable("b", type, {}),
       c = graph.variable("c", type, {});
  graph.assign(a, b);
  graph.assign(b, a);
  graph.assign(c, relu(c));
  graph.output("old a", a);
  graph.output("old c", c);
  graph.stage = GraphStage::ordered;
  Bundle bundle;
  add_program(bundle, graph, "p", {});
  verify(bundle);
  expect_round_trip(bundle);
  run_passes(bundle);
  expect_round_trip(bundle);
  // Variables are followed through the steps by the names of their first values.
  std::map<std::string, std::string> holds{{"$0", "a"}, {"$1", "b"}, {"$2", "c"}};
  std::map<std::string, std::string> outputs;
  auto name = [&](const Operand& o) {
    return std::string(o.kind == OperandKind::variable ? "$"
                       : o.kind == OperandKind::output ? "^"
                                                       : "%") +
           std::to_string(o.id);
  };
  for_each_step(bundle.programs[0].steps, [&](const Step& s, int) {
    if (s.kind == StepKind::run) holds[name(s.writes[0])] = "relu " + holds[name(s.reads[0])];
    if (s.kind == StepKind::copy) holds[name(s.writes[0])] = holds[name(s.reads[0])];
    if (s.kind == StepKind::fetch)
      outputs[bundle.programs[0].outputs[s.writes[0].id].name] = holds[name(s.reads[0])];
  });
  EXPECT_EQ(holds["$0"], "b");
  EXPECT_EQ(holds["$1"], "a");
  EXPECT_EQ(holds["$2"], "relu c");
  EXPECT_EQ(outputs["old a"], "a");
  EXPECT_EQ(outputs["old c"], "c");
}

}  // namespace
}  // namespace lockstep
