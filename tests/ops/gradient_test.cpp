// Gradients of all ops against differences, derived from the records: for each case, a random direction d of
// the inputs and random weights w of an output y, (w.y(x + hd) - w.y(x - hd)) / 2h must equal grad(w).d. All
// in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "lockstep/ir/interpret.h"
#include "lockstep/ops/all.h"
#include "tests/ops/op_cases.h"

namespace lockstep {
namespace {

constexpr InterpretOptions in_double{.in_double = true};

/// How many cases of each kind were met; printed when the suite ends.
struct Tally {
  int checked = 0, ops = 0, first_only = 0, none = 0, whole = 0, skipped = 0;
};

std::string source_name(const char* kind, size_t i) { return kind + std::to_string(i); }

/// One case as a graph: the op on streams in0, in1, ...
struct Forward {
  Graph graph;
  Values in, out;
  NodeView node;
  std::map<std::string, Tensor> sources;

  Forward(const OpRow& op, const OpCase& c, std::mt19937_64& random) {
    auto tensors = draw_inputs(c, random);
    for (size_t i = 0; i < tensors.size(); ++i) {
      in.push_back(graph.stream(source_name("in", i), c.inputs[i]));
      sources[source_name("in", i)] = tensors[i];
    }
    out = emit_row(graph, op, c.attrs, in, Site{});
    node = {&graph, 0};
  }
};

bool is_real(Value v) { return is_float(v.type().dtype); }

class GradientCheck : public testing::TestWithParam<const OpRow*> {
 public:
  static void TearDownTestSuite() {
    std::cout << "gradient check: " << tally.checked << " cases of " << tally.ops << " ops, first_only "
              << tally.first_only << ", none " << tally.none << ", without floats " << tally.whole
              << ", skipped " << tally.skipped << "\n";
    EXPECT_EQ(tally.skipped, 0);
  }

 protected:
  static Tally tally;
};
Tally GradientCheck::tally;

/// Gradients of the inputs, from gradients of the outputs in `which`; checks what every gradient must fulfil.
Values gradients(const OpRow& op, const OpCase& c, Forward& f, const std::vector<size_t>& which) {
  Values dy(f.out.size());
  for (size_t j : which)
    if (is_real(f.out[j])) dy[j] = f.graph.stream(source_name("dy", j), f.out[j].type());
  Values dx = op.grad(c.attrs.get(), f.node, dy);
  EXPECT_EQ(dx.size(), f.in.size()) << "one gradient per input, empty where none flows";
  dx.resize(f.in.size());
  for (size_t i = 0; i < dx.size(); ++i) {
    if (!dx[i]) continue;
    EXPECT_TRUE(is_real(f.in[i])) << "input " << i << " is not floating point but has a gradient";
    EXPECT_EQ(type_text(dx[i].type()), type_text(f.in[i].type())) << "gradient of input " << i;
  }
  return dx;
}

/// False when the op refuses gradients of these outputs.
bool agrees_with_differences(const OpRow& op, const OpCase& c, const std::vector<size_t>& which,
                             uint64_t seed) {
  std::mt19937_64 random(seed);
  Forward f(op, c, random);
  Values dx;
  try {
    dx = gradients(op, c, f, which);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user) << e.what();
    EXPECT_TRUE(which != std::vector<size_t>{0}) << "the first output must have a gradient\n" << e.what();
    return false;
  }
  for (size_t j : which) f.sources[source_name("dy", j)] = draw(f.out[j].type(), {}, random);
  std::vector<Tensor> direction;
  for (auto v : f.in) direction.push_back(draw(v.type(), {}, random));

  auto weighted = [&](double step) {
    Tensors inputs;
    std::vector<const Tensor*> pointers;
    for (size_t i = 0; i < f.in.size(); ++i) {
      inputs.push_back(f.sources[source_name("in", i)]);
      for (size_t k = 0; k < inputs[i].real.size(); ++k) inputs[i].real[k] += step * direction[i].real[k];
    }
    for (const auto& t : inputs) pointers.push_back(&t);
    Tensors out = evaluate(op, c.attrs.get(), pointers, in_double);
    double sum = 0;
    for (size_t j : which)
      for (size_t k = 0; k < out[j].real.size(); ++k)
        sum += f.sources[source_name("dy", j)].real[k] * out[j].real[k];
    return sum;
  };
  constexpr double h = 1e-5;
  double numeric = (weighted(h) - weighted(-h)) / (2 * h);

  auto values = interpret(f.graph, f.sources, in_double).values;
  double analytic = 0, size = 0;
  for (size_t i = 0; i < dx.size(); ++i) {
    if (!dx[i]) continue;
    for (size_t k = 0; k < direction[i].real.size(); ++k) {
      double term = values[dx[i].id].real[k] * direction[i].real[k];
      analytic += term;
      size += std::abs(term);
    }
  }
  double scale = std::max({1e-2, std::abs(numeric), size});
  EXPECT_LE(std::abs(numeric - analytic), 1e-6 * scale)
      << "difference " << numeric << ", grad " << analytic << ", outputs " << which.size();
  return true;
}

void check_full(const OpRow& op, const OpCase& c, Tally* tally) {
  std::mt19937_64 random(1);
  Forward f(op, c, random);
  std::vector<size_t> real;
  for (size_t j = 0; j < f.out.size(); ++j)
    if (is_real(f.out[j])) real.push_back(j);
  bool any_input = std::any_of(f.in.begin(), f.in.end(), is_real);
  if (real.empty() ||
      !any_input) {  // whole numbers have no gradients, so `grad` is never asked for one of them
    if (!real.empty()) {
      for (auto v : gradients(op, c, f, {real[0]})) EXPECT_FALSE(v) << "a gradient by a whole number";
    }
    ++tally->whole;
    return;
  }
  bool done = false;
  for (uint64_t seed : {11, 12}) {
    for (size_t j : real) done = agrees_with_differences(op, c, {j}, seed) || done;
    if (real.size() > 1) agrees_with_differences(op, c, real, seed);
  }
  ++(done ? tally->checked : tally->skipped);
}

/// A derivative that has none: `grad` refuses with a user error, or returns nothing.
void check_first_only(const OpRow& op, const OpCase& c) {
  std::mt19937_64 random(1);
  Forward f(op, c, random);
  try {
    for (auto v : gradients(op, c, f, {0})) EXPECT_FALSE(v);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user) << e.what();
    EXPECT_NE(e.problem.find(op.info.name), std::string::npos)
        << "the message must name the op: " << e.what();
  }
}

void check_none(const OpRow& op, const OpCase& c) {
  std::mt19937_64 random(1);
  Forward f(op, c, random);
  for (auto v : gradients(op, c, f, {0})) EXPECT_FALSE(v);
}

TEST_P(GradientCheck, Agrees) {
  const OpRow& op = *GetParam();
  auto cases = op.cases();
  bool counted = false;
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(case_text(op, cases[i], i, "Ops/GradientCheck.Agrees"));
    try {
      int before = tally.checked;
      switch (op.info.gradient) {
        case Gradient::full:
          check_full(op, cases[i], &tally);
          break;
        case Gradient::first_only:
          check_first_only(op, cases[i]), ++tally.first_only;
          break;
        case Gradient::none:
          check_none(op, cases[i]), ++tally.none;
          break;
      }
      counted = counted || tally.checked > before;
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
  tally.ops += counted;
  EXPECT_EQ(counted, op.info.gradient == Gradient::full) << "no case checks a gradient";
}
INSTANTIATE_TEST_SUITE_P(Ops, GradientCheck, testing::ValuesIn(all_ops()), op_name_of);

class CaseSizes : public testing::TestWithParam<const OpRow*> {};

/// Every op is visited with an odd size, and - unless it is a counter, whose type is fixed - with nothing and
/// with one element.
TEST_P(CaseSizes, CoverEmptySingleAndOdd) {
  const OpRow& op = *GetParam();
  auto cases = op.cases();
  ASSERT_FALSE(cases.empty()) << op.info.name << ": no cases";
  bool empty = false, single = false, odd = false, half = false;
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(case_text(op, cases[i], i, "Ops/CaseSizes.CoverEmptySingleAndOdd"));
    ASSERT_NO_THROW(check_arity(op.info, cases[i].inputs.size()));
    Types all;
    ASSERT_NO_THROW(all = op.infer(cases[i].attrs.get(), cases[i].inputs));
    EXPECT_EQ(all.size(), op.info.outputs.size());
    all.insert(all.end(), cases[i].inputs.begin(), cases[i].inputs.end());
    Cost cost = op.cost(cases[i].attrs.get(), cases[i].inputs);
    EXPECT_GE(cost.flops, 0);
    EXPECT_GE(cost.bytes, 0);
    for (const auto& t : all) {
      empty = empty || t.elements() == 0;
      single = single || t.elements() == 1;
      half = half || t.dtype == DType::f16 || t.dtype == DType::bf16;
      odd = odd || std::any_of(t.shape.begin(), t.shape.end(), [](int64_t n) { return n > 1 && n % 2 == 1; });
    }
  }
  if (op.info.name == "advance") return;
  EXPECT_TRUE(empty) << op.info.name << ": no empty case";
  EXPECT_TRUE(single) << op.info.name << ": no case of one element";
  EXPECT_TRUE(odd) << op.info.name << ": no odd size";
  EXPECT_TRUE(half || !op.info.elementwise || op.info.gradient == Gradient::none)
      << op.info.name << ": no half precision";
}
INSTANTIATE_TEST_SUITE_P(Ops, CaseSizes, testing::ValuesIn(all_ops()), op_name_of);

/// Rounding to the element type happens after `eval`, so every case must also run that way.
TEST(Cases, EvaluateRounded) {
  for (const OpRow* op : all_ops()) {
    auto cases = op->cases();
    for (size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE(case_text(*op, cases[i], i, "Cases.EvaluateRounded"));
      std::mt19937_64 random(3);
      Tensors inputs = draw_inputs(cases[i], random);
      std::vector<const Tensor*> pointers;
      for (auto& t : inputs) round_to_type(t), pointers.push_back(&t);
      Types types = op->infer(cases[i].attrs.get(), cases[i].inputs);
      Tensors out = evaluate(*op, cases[i].attrs.get(), pointers);
      for (size_t j = 0; j < out.size(); ++j) {
        EXPECT_EQ(out[j].type, types[j]);
        EXPECT_EQ(static_cast<int64_t>(out[j].real.size() + out[j].whole.size()), types[j].elements());
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
