// Every op on the CPU target gives what its `eval` gives, within one tolerance table, and the same bits for
// any number of threads. The cases are those of the op records, again with NaN and infinities, and larger and
// blocked ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include "lockstep/ir/interpret.h"
#include "lockstep/ops/all.h"
#include "lockstep/ops/all_finite.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/cast.h"
#include "lockstep/ops/conv.h"
#include "lockstep/ops/cross_entropy.h"
#include "lockstep/ops/dropout.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/gather.h"
#include "lockstep/ops/matmul.h"
#include "lockstep/ops/pool.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/select.h"
#include "lockstep/ops/sgd.h"
#include "lockstep/ops/softmax.h"
#include "lockstep/ops/sum_n.h"
#include "lockstep/ops/top_k.h"
#include "lockstep/ops/transpose.h"
#include "lockstep/targets/target.h"
#include "tests/ops/op_cases.h"

namespace lockstep {
namespace {

// ---- running a graph on the target -----------------------------------------------------------------------

/// One batch, always there.
class Batch final : public StreamSource {
 public:
  explicit Batch(const Program& program, const std::map<std::string, Tensor>& inputs) {
    for (const auto& port : program.streams) {
      const Tensor& tensor = inputs.at(port.name);
      bytes_.emplace_back(std::max<int64_t>(1, port.slots * port.type.bytes()));
      store(tensor, bytes_.back().data());
      slot_bytes_.push_back(port.type.bytes());
    }
  }
  std::byte* base(int stream) override { return bytes_[stream].data(); }
  int64_t slot_bytes(int stream) const override { return slot_bytes_[stream]; }
  bool wait_full(int64_t) noexcept override { return true; }
  void release(int64_t) noexcept override {}

 private:
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<int64_t> slot_bytes_;
};

struct Ran {
  std::map<std::string, Tensor> outputs;
  std::map<std::string, std::vector<std::byte>> bytes;
  std::vector<Choice> choices;
  RunResult result;
};

Ran run_on_cpu(const Graph& graph, const std::map<std::string, Tensor>& inputs, int threads) {
  Bundle bundle;
  add_program(bundle, graph, "program", {.steps_per_call = 1, .ring_slots = 1});
  TargetOptions options;
  options.threads = threads;
  auto executable = target_named("cpu").lower(std::move(bundle), options);
  const Program& program = executable->bundle().programs[0];
  Batch batch(program, inputs);
  executable->connect(0, &batch);
  Ran ran;
  ran.result = executable->run(0, 0, 1);
  ran.choices = executable->choices();
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const auto& port = program.outputs[i];
    const std::byte* bytes = executable->output(0, static_cast<int>(i), 0);
    Tensor& tensor = ran.outputs[port.name] = Tensor(port.type);
    ran.bytes[port.name].assign(bytes, bytes + port.type.bytes());
    if (port.type.bytes() > 0) load(tensor, bytes);
  }
  return ran;
}

// ---- comparing -------------------------------------------------------------------------------------------

/// THE table: allowed error as a share of the largest finite element of the result, and besides.
struct Tolerance {
  double relative, absolute;
};
Tolerance tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return {1e-12, 1e-15};
    case DType::f32:
      return {2e-5, 1e-6};
    case DType::f16:
      return {2e-3, 1e-6};
    case DType::bf16:
      return {1.6e-2, 1e-6};
    default:
      return {0, 0};
  }
}

std::string difference(const Tensor& got, const Tensor& want) {
  if (got.type != want.type) return type_text(got.type) + ", want " + type_text(want.type);
  for (size_t i = 0; i < want.whole.size(); ++i)
    if (got.whole[i] != want.whole[i])
      return fmt::format("[{}] = {}, want {}", i, got.whole[i], want.whole[i]);
  double largest = 0;
  for (double v : want.real)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  auto [relative, absolute] = tolerance_of(want.type.dtype);
  for (size_t i = 0; i < want.real.size(); ++i) {
    double a = got.real[i], b = want.real[i];
    bool same = std::isfinite(b) ? std::abs(a - b) <= relative * largest + absolute
                                 : a == b || (std::isnan(a) && std::isnan(b));
    if (!same) return fmt::format("[{}] = {}, want {} (largest {})", i, a, b, largest);
  }
  return "";
}

/// What all tests share: the target agrees with the interpreter, and one thread with three.
Ran expect_parity(const Graph& graph, const std::map<std::string, Tensor>& inputs) {
  Ran one = run_on_cpu(graph, inputs, 1), three = run_on_cpu(graph, inputs, 3);
  EXPECT_TRUE(one.result.ok) << one.result.fault;
  EXPECT_TRUE(one.bytes == three.bytes) << "1 and 3 threads give other bits";
  for (const auto& [name, want] : interpret(graph, inputs).outputs) {
    std::string text = difference(one.outputs.at(name), want);
    EXPECT_TRUE(text.empty()) << "output " << name << text;
  }
  return one;
}

struct Made {
  Graph graph{"parity"};
  std::map<std::string, Tensor> inputs;

  Value stream(const Type& type, Domain domain, std::mt19937_64& random) {
    std::string name = fmt::format("x{}", inputs.size());
    Tensor tensor = draw(type, domain, random);
    round_to_type(tensor);
    inputs.emplace(name, std::move(tensor));
    return graph.stream(name, type);
  }
  void outputs(const Values& values) {
    for (size_t i = 0; i < values.size(); ++i) graph.output(fmt::format("y{}", i), values[i]);
    graph.stage = GraphStage::ordered;
  }
};

Made graph_of(const OpRow& op, const OpCase& c, std::mt19937_64& random) {
  Made made;
  Values xs;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    xs.push_back(made.stream(c.inputs[i], i < c.domains.size() ? c.domains[i] : Domain{}, random));
  made.outputs(emit_row(made.graph, op, c.attrs, xs, {}));
  return made;
}

// ---- the cases of the records ----------------------------------------------------------------------------

struct Tally {
  int cases = 0, native = 0, wrapper = 0;
  std::set<std::string> ops, wrapped_f32;
};

TEST(KernelParity, EveryOpAndCase) {
  Tally tally;
  for (const auto* op : all_ops()) {
    OpCases cases = op->cases();
    for (size_t k = 0; k < cases.size(); ++k) {
      std::mt19937_64 random(k + 1);
      SCOPED_TRACE(case_text(*op, cases[k], k, "KernelParity.EveryOpAndCase (of test-targets)"));
      Made made = graph_of(*op, cases[k], random);
      Ran ran = expect_parity(made.graph, made.inputs);
      ++tally.cases;
      tally.ops.insert(std::string(op->info.name));
      for (const auto& choice : ran.choices) {
        bool wrapped = choice.kernel.find("eval") != std::string::npos;
        ++(wrapped ? tally.wrapper : tally.native);
        bool f32 = true;
        for (const auto& t : cases[k].inputs)
          f32 = f32 && t.dtype != DType::f64 && t.dtype != DType::f16 && t.dtype != DType::bf16;
        if (wrapped && f32) tally.wrapped_f32.insert(choice.ops);
      }
    }
  }
  std::string wrapped;
  for (const auto& name : tally.wrapped_f32) wrapped += " " + name;
  fmt::print("kernel parity: {} cases of {} ops, native {}, wrapper {}, skipped 0\nwrapped in f32:{}\n",
             tally.cases, tally.ops.size(), tally.native, tally.wrapper, wrapped);
}

/// NaN first, an infinity last. Ops whose result for those is a matter of the way of summing are left out.
TEST(KernelParity, NotANumberAndInfinity) {
  const std::set<std::string_view> left_out{"batch_norm", "batch_norm_backward", "batch_norm_inference",
                                            "conv",       "conv_backward_data",  "conv_backward_weights"};
  for (const auto* op : all_ops()) {
    if (left_out.count(op->info.name) > 0) continue;
    OpCases cases = op->cases();
    for (size_t k = 0; k < cases.size(); ++k) {
      std::mt19937_64 random(k + 1);
      SCOPED_TRACE(case_text(*op, cases[k], k, "KernelParity.NotANumberAndInfinity (of test-targets)"));
      Made made = graph_of(*op, cases[k], random);
      bool any = false;
      for (auto& [name, tensor] : made.inputs)
        if (tensor.type.dtype == DType::f32 && tensor.size() > 1) {
          tensor.real.front() = std::nan("");
          tensor.real.back() = INFINITY;
          any = true;
        }
      if (any) expect_parity(made.graph, made.inputs);
    }
  }
}

// ---- larger values, which are cut into parts -------------------------------------------------------------

template <class T>
void expect_large(T op, const std::vector<const char*>& inputs, std::vector<Domain> domains = {}) {
  Types types;
  for (const auto* text : inputs) types.push_back(parse_type(text));
  OpCase c = op_case(std::move(op), types, std::move(domains));
  SCOPED_TRACE(case_text(op_row<T>(), c, 0, "KernelParity.LargeValues (of test-targets)"));
  std::mt19937_64 random(1);
  Made made = graph_of(op_row<T>(), c, random);
  for (const auto& choice : expect_parity(made.graph, made.inputs).choices)
    EXPECT_EQ(choice.kernel.find("eval"), std::string::npos) << choice.kernel;
}

template <class Op>
void expect_reduce(const char* x, Shape axes, bool keep = false) {
  Op op;
  op.axes = std::move(axes);
  op.keep = keep;
  expect_large(op, {x});
}

TEST(KernelParity, LargeValues) {
  expect_large(Add{}, {"f32[100,300]", "f32[300]"});
  expect_large(Sub{}, {"f32[5,6,30,31]", "f32[1,6,1,1]"});
  expect_large(Sub{}, {"f32[]", "f32[40001]"});
  expect_large(Mul{}, {"f32[300,1]", "f32[1,101]"});
  expect_large(Div{}, {"f32[33000]", "f32[33000]"}, {{}, {0.5, 2}});
  expect_large(Maximum{}, {"f32[4,3,5,7,60]", "f32[3,1,7,1]"});
  expect_large(Exp{}, {"f32[40001]"});
  Scale scale_op;
  scale_op.factor = 0.3;
  expect_large(scale_op, {"f32[40001]"});
  expect_large(SumN{}, {"f32[33001]", "f32[33001]", "f32[33001]"});
  expect_large(Cast{DType::f32}, {"u8[40001]"}, {{0, 256}});
  expect_large(Select{}, {"pred[]", "f32[40001]", "f32[40001]"});
  expect_large(Select{}, {"pred[40001]", "f32[40001]", "f32[40001]"});
  expect_large(Transpose{{0, 2, 3, 1}}, {"f32[3,5,61,47]"});
  expect_large(BroadcastTo{{40, 30, 33}}, {"f32[30,1]"});
  expect_large(SumTo{{30, 1}}, {"f32[40,30,33]"});
  expect_large(SumTo{{1, 6, 1, 1}}, {"f32[5,6,60,31]"});
  for (const Shape& axes : {Shape{}, Shape{0}, Shape{1}}) {
    expect_reduce<ReduceSum>("f32[701,33]", axes);
    expect_reduce<ReduceMean>("f32[3,20001]", axes, true);
    expect_reduce<ReduceSum>("f32[20001,3]", axes);
    expect_reduce<ReduceSum>("f32[2,40001]", axes);
  }
  for (const Shape& axes : {Shape{0, 2, 3}, Shape{2, 3}, Shape{1}, Shape{0, 3}, Shape{1, 2}})
    expect_reduce<ReduceMean>("f32[4,6,50,31]", axes);
  expect_large(Matmul{}, {"f32[301,70]", "f32[70,150]"});
  expect_large(Matmul{true, false}, {"f32[70,301]", "f32[70,150]"});
  expect_large(Matmul{false, true}, {"f32[301,70]", "f32[150,70]"});
  expect_large(Matmul{true, true}, {"f32[70,301]", "f32[150,70]"});
  expect_large(Matmul{false, false}, {"f32[3,4,50,70]", "f32[3,4,70,60]"});
  expect_large(Matmul{true, false}, {"f32[4,70,150]", "f32[70,60]"});
  expect_large(CrossEntropy{0.1}, {"f32[2001,10]", "i32[2001]"}, {{-3, 3}, {0, 10}});
  expect_large(CrossEntropyBackward{0.1}, {"f32[2001]", "f32[2001,10]", "i32[2001]", "f32[2001]"},
               {{}, {-3, 3}, {0, 10}, {3, 6}});
  expect_large(TopKCorrect{3}, {"f32[2001,10]", "i32[2001]"}, {{}, {0, 10}});
  expect_large(Softmax{}, {"f32[500,41]"});
  expect_large(LogSoftmax{}, {"f32[500,41]"});
  expect_large(Gather{}, {"f32[100,64]", "i32[501]"}, {{}, {0, 100}});
  expect_large(GatherBackward{100}, {"f32[501,64]", "i64[501]"}, {{}, {0, 100}});
  Dropout dropout{0.3f, 2};
  expect_large(dropout, {"f32[5,3,33,31]", "u64[]", "i64[]", "u64[5]"},
               {{}, {0, 1000}, {0, 1000}, {0, 1000}});
  Sgd sgd;
  sgd.momentum = 0.9;
  sgd.nesterov = true;
  expect_large(sgd, {"f32[40001]", "f32[40001]", "f32[40001]", "f32[]", "pred[]"},
               {{}, {}, {}, {0.1, 0.2}, {0, 2}});
  expect_large(AllFinite{}, {"f32[40001]", "f32[0]", "f32[3]", "f32[20,1001]"});
  PoolAttrs window{{3, 3}, {2, 2}, {1, 1, 1, 1}, Padding::given};
  expect_large(MaxPool{window}, {"f32[3,8,41,40]"});
  expect_large(AvgPool{window, false}, {"f32[3,8,41,40]"});
  expect_large(MaxPoolBackward{window}, {"f32[3,8,41,40]", "f32[3,8,21,20]", "f32[3,8,21,20]"});
  expect_large(AvgPoolBackward{window, true, {3, 8, 41, 40}}, {"f32[3,8,21,20]"});
}

TEST(KernelParity, AllFiniteSeesTheLastPart) {
  std::mt19937_64 random(1);
  Made made = graph_of(op_row<AllFinite>(),
                       op_case(AllFinite{}, {parse_type("f32[3]"), parse_type("f32[50001]")}), random);
  for (int64_t at : {int64_t{0}, int64_t{9000}, int64_t{50000}}) {
    auto inputs = made.inputs;
    inputs.at("x1").real[at] = INFINITY;
    Ran ran = expect_parity(made.graph, inputs);
    EXPECT_EQ(ran.outputs.at("y0").whole[0], 0);
  }
}

// ---- behind a convolution, where images are blocked ------------------------------------------------------

/// What `after` makes of the results of two convolutions with 16 channels.
void expect_blocked(const char* name,
                    const std::function<Values(Made&, Value, Value, std::mt19937_64&)>& after) {
  SCOPED_TRACE(name);
  std::mt19937_64 random(1);
  Made made;
  Value x = made.stream(parse_type("f32[3,8,9,7]"), {}, random),
        w = made.stream(parse_type("f32[16,8,1,1]"), {}, random);
  Value v = made.stream(parse_type("f32[16,8,1,1]"), {}, random);
  made.outputs(after(made, conv(x, w), conv(x, v), random));
  expect_parity(made.graph, made.inputs);
}

TEST(KernelParity, BlockedImages) {
  using Random = std::mt19937_64;
  expect_blocked("unary", [](Made&, Value a, Value, Random&) {
    return Values{relu(a), scale(a, 0.3), exp(a), abs(neg(a))};
  });
  expect_blocked("binary", [](Made&, Value a, Value b, Random&) {
    return Values{add(a, b), mul(a, b), maximum(a, b), relu_backward(a, b)};
  });
  expect_blocked("sum_n", [](Made&, Value a, Value b, Random&) { return Values{sum_n({a, b, a})}; });
  expect_blocked("by channel", [](Made& m, Value a, Value, Random& r) {
    Value c = m.stream(parse_type("f32[1,16,1,1]"), {}, r), n = m.stream(parse_type("f32[3,16,1,1]"), {}, r);
    return Values{add(a, c), sub(c, a), mul(a, n)};
  });
  expect_blocked("by place", [](Made& m, Value a, Value, Random& r) {
    Value w = m.stream(parse_type("f32[7]"), {}, r), p = m.stream(parse_type("f32[16,9,7]"), {}, r),
          s = m.stream(parse_type("f32[]"), {}, r);
    Value h = m.stream(parse_type("f32[1,1,9,1]"), {}, r);
    return Values{add(a, w), sub(a, p), mul(s, a), add(h, a)};
  });
  expect_blocked("reduce", [](Made&, Value a, Value b, Random&) {
    return Values{reduce_mean(a, {2, 3}),   reduce_sum(b, {2, 3}, true), reduce_sum(a),
                  reduce_sum(a, {0, 2, 3}), reduce_sum(a, {1}),          reduce_sum(a, {2}),
                  reduce_mean(a, {0}),      sum_to(b, {1, 16, 1, 1}),    sum_to(b, {7})};
  });
  expect_blocked("spread", [](Made& m, Value a, Value, Random& r) {
    Value n = m.stream(parse_type("f32[3,16,1,1]"), {}, r), c = m.stream(parse_type("f32[16,1,1]"), {}, r);
    return Values{add(a, broadcast_to(n, {3, 16, 9, 7})), mul(a, broadcast_to(c, {3, 16, 9, 7}))};
  });
  expect_blocked("pool", [](Made&, Value a, Value b, Random&) {
    PoolAttrs window{{3, 2}, {2, 2}, {1, 0, 1, 1}, Padding::given},
        all{{9, 7}, {1, 1}, {0, 0, 0, 0}, Padding::given};
    Value y = max_pool(a, window), z = avg_pool(b, window);
    return Values{y,
                  z,
                  max_pool_backward(a, y, z, window),
                  avg_pool_backward(y, {3, 16, 9, 7}, window),
                  avg_pool(a, all),
                  max_pool(b, all)};
  });
  expect_blocked("dropout", [](Made& m, Value a, Value, Random& r) {
    Value seed = m.stream(parse_type("u64[]"), {0, 1000}, r),
          step = m.stream(parse_type("i64[]"), {0, 1000}, r);
    Value key = m.stream(parse_type("u64[3]"), {0, 1000}, r);
    return Values{dropout(a, seed, step, key, 0.4f, 1)};
  });
  expect_blocked("move", [](Made& m, Value a, Value b, Random& r) {
    Value one = m.stream(parse_type("pred[]"), {0, 2}, r),
          each = m.stream(parse_type("pred[3,16,9,7]"), {0, 2}, r);
    return Values{select(one, a, b), select(each, a, b), transpose(a, {0, 2, 3, 1}), cast(a, DType::f64)};
  });
  expect_blocked("softmax", [](Made&, Value a, Value, Random&) {
    return Values{softmax(a), log_softmax(a, 1)};
  });
}

// ---- faults ----------------------------------------------------------------------------------------------

TEST(KernelParity, BadIndicesAreFaults) {
  std::mt19937_64 random(1);
  auto fault_of = [&](const OpRow& op, const OpCase& c) {
    Made made = graph_of(op, c, random);
    Ran ran = run_on_cpu(made.graph, made.inputs, 2);
    EXPECT_FALSE(ran.result.ok);
    return ran.result.fault;
  };
  Domain bad{10, 12};
  Type logits = parse_type("f32[4,10]"), label = parse_type("i32[4]"), rows = parse_type("f32[4]");
  EXPECT_NE(
      fault_of(op_row<CrossEntropy>(), op_case(CrossEntropy{}, {logits, label}, {{}, bad})).find("label"),
      std::string::npos);
  EXPECT_NE(fault_of(op_row<CrossEntropyBackward>(),
                     op_case(CrossEntropyBackward{}, {rows, logits, label, rows}, {{}, {}, bad}))
                .find("label"),
            std::string::npos);
  EXPECT_NE(fault_of(op_row<TopKCorrect>(), op_case(TopKCorrect{}, {logits, label}, {{}, bad})).find("label"),
            std::string::npos);
  EXPECT_NE(fault_of(op_row<Gather>(), op_case(Gather{}, {logits, label}, {{}, {4, 5}})).find("index"),
            std::string::npos);
  EXPECT_NE(fault_of(op_row<GatherBackward>(), op_case(GatherBackward{10}, {logits, label}, {{}, bad}))
                .find("index"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
