// Types out of types: what ops give, and what they say when they refuse.
#include <gtest/gtest.h>

#include "lockstep/ops/all.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/concat.h"
#include "lockstep/ops/elementwise.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/reshape.h"
#include "lockstep/ops/transpose.h"

namespace lockstep {
namespace {

/// An op in text, the types of its inputs, and the type it gives or parts of the message it refuses with.
struct Row {
  const char* op;
  const char* attrs;
  std::vector<const char*> inputs;
  std::vector<const char*> expected;
};

Types infer(const Row& row) {
  Graph graph;
  Values in;
  for (const auto* t : row.inputs)
    in.push_back(graph.stream("in" + std::to_string(in.size()), parse_type(t)));
  const OpRow& op = op_named(row.op);
  Types types;
  for (auto v : emit_row(graph, op, op.parse(row.attrs), in, Site{})) types.push_back(v.type());
  return types;
}

std::string text_of(const Row& row) {
  std::string out = std::string(row.op) + row.attrs + "(";
  for (const auto* t : row.inputs) out += std::string(t) + " ";
  return out + ")";
}

TEST(Shapes, AreGiven) {
  const Row rows[] = {
      {"add", "", {"f32[2,3]", "f32[3]"}, {"f32[2,3]"}},
      {"add", "", {"f32[2,1,3]", "f32[4,1]"}, {"f32[2,4,3]"}},
      {"mul", "", {"i32[]", "i32[5]"}, {"i32[5]"}},
      {"sub", "", {"f64[0]", "f64[1]"}, {"f64[0]"}},
      {"less", "", {"f32[2,1]", "f32[3]"}, {"pred[2,3]"}},
      {"select", "", {"pred[]", "bf16[2]", "bf16[2]"}, {"bf16[2]"}},
      {"cast", "{to=i64}", {"f16[2,0]"}, {"i64[2,0]"}},
      {"reduce_sum", "{axes=[0,-1]}", {"f32[2,3,5]"}, {"f32[3]"}},
      {"reduce_mean", "{axes=[], keep=true}", {"f32[2,3]"}, {"f32[1,1]"}},
      {"reduce_max", "{axes=[0]}", {"f32[2,0]"}, {"f32[0]"}},
      {"reduce_sum", "{axes=[1]}", {"f32[2,0]"}, {"f32[2]"}},
      {"matmul", "", {"f32[7,2,3]", "f32[3,5]"}, {"f32[7,2,5]"}},
      {"matmul", "{transpose_a=true, transpose_b=true}", {"f32[3,2]", "f32[5,3]"}, {"f32[2,5]"}},
      {"gather", "", {"f32[10,4]", "i64[2,3]"}, {"f32[2,3,4]"}},
      {"gather_backward", "{rows=10}", {"f32[2,3,4]", "i32[2,3]"}, {"f32[10,4]"}},
      {"concat", "{axis=-1}", {"f32[2,3]", "f32[2,0]", "f32[2,1]"}, {"f32[2,4]"}},
      {"slice", "{begin=[1,0], end=[1,2]}", {"f32[3,3]"}, {"f32[0,2]"}},
      {"pad_zero", "{before=[1], after=[2]}", {"i32[3]"}, {"i32[6]"}},
      {"transpose", "{perm=[2,0,1]}", {"f32[2,3,5]"}, {"f32[5,2,3]"}},
      {"all_finite", "", {"f32[2]", "f16[]"}, {"pred[]"}},
      {"top_k_correct", "{k=3}", {"f16[2,5]", "i32[2]"}, {"f16[2]"}},
      {"constant", "{value=1, shape=[2], dtype=pred}", {}, {"pred[2]"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(text_of(row));
    try {
      EXPECT_EQ(type_text(infer(row).at(0)), row.expected[0]);
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

TEST(Shapes, RefusalsNameTheInput) {
  const Row rows[] = {
      {"add", "", {"f32[2]"}, {"add: wrong number of inputs", "got:   1", "(a, b)"}},
      {"exp", "", {"f32[2]", "f32[2]"}, {"exp: wrong number of inputs", "got:   2", "(x)"}},
      {"constant", "", {"f32[2]"}, {"constant: wrong number of inputs", "got:   1"}},
      {"sum_n", "", {}, {"sum_n: wrong number of inputs", "(xs...)"}},
      {"add",
       "",
       {"f32[2,3]", "f32[4]"},
       {"add: the shapes of a and b do not broadcast", "a f32[2,3], b f32[4]"}},
      {"add", "", {"f32[2]", "f64[2]"}, {"add: a and b must have one element type", "a f32[2], b f64[2]"}},
      {"mul", "", {"pred[2]", "pred[2]"}, {"mul: a and b must be numbers", "a pred[2]"}},
      {"mul",
       "",
       {"f32[1073741824,1]", "f32[1073741824]"},
       {"mul: the tensor is too large", "[1073741824,1073741824]"}},
      {"less", "", {"f32[2]", "i32[2]"}, {"less: a and b must have one element type"}},
      {"exp", "", {"i32[2]"}, {"exp: x must be floating point", "i32[2]"}},
      {"relu_backward", "", {"f32[2]", "f32[3]"}, {"relu_backward: dy and y must have one type"}},
      {"select", "", {"f32[2]", "f32[2]", "f32[2]"}, {"select: pred must be a truth value", "f32[2]"}},
      {"select",
       "",
       {"pred[]", "f32[2]", "f32[3]"},
       {"select: a and b must have one type", "a f32[2], b f32[3]"}},
      {"select",
       "",
       {"pred[1]", "f32[2]", "f32[2]"},
       {"select: pred must be a scalar or have the shape of a and b"}},
      {"constant",
       "{value=0.5, dtype=i32}",
       {},
       {"constant: the element type cannot hold the value", "0.5 as i32"}},
      {"constant", "{value=256, dtype=u8}", {}, {"256 as u8"}},
      {"constant", "{value=nan, dtype=i64}", {}, {"nan as i64"}},
      {"constant", "{shape=[-1]}", {}, {"constant: a size is negative", "[-1]"}},
      {"sum_n", "", {"f32[2]", "f32[3]"}, {"sum_n: xs must have one type", "xs[0] f32[2], xs[1] f32[3]"}},
      {"reshape",
       "{shape=[4]}",
       {"f32[2,3]"},
       {"reshape: the number of elements changes", "f32[2,3] to [4]", "6 elements"}},
      {"reshape", "{shape=[-2,-3]}", {"f32[2,3]"}, {"reshape: a size is negative"}},
      {"transpose",
       "{perm=[0,0]}",
       {"f32[2,3]"},
       {"transpose: perm must name each axis of x once", "[0,0]", "[0,1]"}},
      {"transpose", "{perm=[0]}", {"f32[2,3]"}, {"transpose: perm must name each axis"}},
      {"concat",
       "{axis=0}",
       {"f32[2,3]", "f32[2,4]"},
       {"concat: xs may differ only along the axis", "xs[1] f32[2,4]"}},
      {"concat",
       "{axis=2}",
       {"f32[2,3]"},
       {"concat: x has no such axis", "axis 2 of a tensor of rank 2", "-2..1"}},
      {"concat", "{axis=0}", {"f32[]"}, {"concat: x has no such axis", "at least one axis"}},
      {"concat", "{axis=0}", {"f32[2]", "f32[2,3]"}, {"concat: xs may differ only along the axis"}},
      {"slice",
       "{begin=[1], end=[4]}",
       {"f32[3]"},
       {"slice: the slice does not lie in x", "begin [1], end [4], x f32[3]"}},
      {"slice", "{begin=[], end=[]}", {"f32[3]"}, {"slice: the slice does not lie in x"}},
      {"pad_zero",
       "{before=[-1], after=[0]}",
       {"f32[3]"},
       {"pad_zero: before and after must give a number of zeros"}},
      {"pad_zero",
       "{before=[9223372036854775807], after=[9223372036854775807]}",
       {"f32[3]"},
       {"pad_zero: before and after"}},
      {"broadcast_to",
       "{shape=[2]}",
       {"f32[3]"},
       {"broadcast_to: x does not broadcast to the shape", "f32[3] to [2]"}},
      {"broadcast_to", "{shape=[3]}", {"f32[1,3]"}, {"broadcast_to: x does not broadcast"}},
      {"broadcast_to",
       "{shape=[4611686018427387904,4]}",
       {"f32[]"},
       {"broadcast_to: the tensor is too large"}},
      {"sum_to", "{shape=[2]}", {"f32[3]"}, {"sum_to: the shape does not broadcast to x"}},
      {"reduce_sum",
       "{axes=[2]}",
       {"f32[2,3]"},
       {"reduce_sum: x has no such axis", "axis 2 of a tensor of rank 2"}},
      {"reduce_sum", "{axes=[1,-1]}", {"f32[2,3]"}, {"reduce_sum: an axis is named twice", "[1,-1]"}},
      {"reduce_mean",
       "{axes=[1]}",
       {"f32[2,0]"},
       {"reduce_mean: there is nothing to reduce", "f32[2,0] over axes [1]"}},
      {"reduce_mean", "", {"i32[2]"}, {"reduce_mean: x must be floating point"}},
      {"reduce_max", "", {"f32[0]"}, {"reduce_max: there is nothing to reduce"}},
      {"reduce_max_backward",
       "{axes=[0]}",
       {"f32[2]", "f32[2,3]"},
       {"reduce_max_backward: dy does not fit x", "dy f32[3]"}},
      {"matmul",
       "",
       {"f32[2,3]", "f32[4,5]"},
       {"matmul: the inner sizes of a and b differ", "a f32[2,3], b f32[4,5]"}},
      {"matmul", "", {"f32[2,3]", "f32[3]"}, {"matmul: a and b must have at least two axes"}},
      {"matmul", "", {"f32[2,4,3]", "f32[5,3,4]"}, {"matmul: the leading sizes of a and b differ"}},
      {"matmul", "", {"f32[4,3]", "f32[5,3,4]"}, {"matmul: the leading sizes of a and b differ"}},
      {"matmul", "", {"f32[2,3]", "f64[3,4]"}, {"matmul: a and b must have one element type"}},
      {"matmul", "", {"i32[2,3]", "i32[3,4]"}, {"matmul: a must be floating point"}},
      {"softmax", "{axis=3}", {"f32[2,3]"}, {"softmax: x has no such axis"}},
      {"log_softmax", "", {"f32[]"}, {"log_softmax: x has no such axis"}},
      {"gather", "", {"f32[2,3]", "f32[4]"}, {"gather: index must be whole numbers", "f32[4]", "i32 or i64"}},
      {"gather", "", {"f32[]", "i32[4]"}, {"gather: table must have rows"}},
      {"gather_backward",
       "{rows=3}",
       {"f32[2,3]", "i32[4]"},
       {"gather_backward: the shape of dy must begin with that of index"}},
      {"gather_backward", "{rows=-3}", {"f32[4]", "i32[4]"}, {"gather_backward: a size is negative"}},
      {"top_k_correct", "{k=0}", {"f32[2,3]", "i32[2]"}, {"top_k_correct: k must be at least 1"}},
      {"top_k_correct",
       "{k=1}",
       {"f32[2,3]", "i64[2]"},
       {"top_k_correct: label does not fit logits", "label i32 (B)"}},
      {"all_finite", "", {"f32[2]", "i32[2]"}, {"all_finite: each of xs must be floating point", "i32[2]"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(text_of(row));
    try {
      infer(row);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::user) << e.what();
      std::string message = e.what();
      for (const auto* part : row.expected)
        EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' in:\n" << message;
    }
  }
}

TEST(Shapes, BroadcastingIsSymmetric) {
  const std::vector<Shape> shapes{{}, {0}, {1}, {3}, {1, 3}, {2, 1}, {2, 3}, {0, 1}, {4, 1, 1}, {4, 2, 3}};
  for (const auto& a : shapes)
    for (const auto& b : shapes) {
      Shape ab, ba;
      bool fits = broadcast_shapes(a, b, &ab);
      EXPECT_EQ(fits, broadcast_shapes(b, a, &ba));
      if (!fits) continue;
      EXPECT_EQ(ab, ba);
      EXPECT_EQ(ab.size(), std::max(a.size(), b.size()));
      Graph graph;
      Value sum = add(graph.stream("a", {DType::f32, a}), graph.stream("b", {DType::f32, b}));
      EXPECT_EQ(sum.shape(), ab);
      // Both operands broadcast to the result, and the result sums back to both.
      for (const auto& s : {a, b}) {
        EXPECT_EQ(broadcast_to(graph.value(graph.find_source(s == a ? "a" : "b")->value), ab).shape(), ab);
        EXPECT_EQ(sum_to(sum, s).shape(), s);
      }
    }
}

TEST(Shapes, BuildersThatChangeNothingAddNoNode) {
  Graph graph;
  Value x = graph.stream("x", parse_type("f32[2,3]"));
  EXPECT_EQ(reshape(x, {2, 3}), x);
  EXPECT_EQ(reshape(x, {-1, 3}), x);
  EXPECT_EQ(broadcast_to(x, {2, 3}), x);
  EXPECT_EQ(sum_to(x, {2, 3}), x);
  EXPECT_TRUE(graph.nodes().empty());
}

TEST(Shapes, ReshapeComputesOneSize) {
  Graph graph;
  Value x = graph.stream("x", parse_type("f32[2,3,5]"));
  EXPECT_EQ(reshape(x, {3, -1}).shape(), (Shape{3, 10}));
  EXPECT_THROW(reshape(x, {-1, 4}), Error);
  EXPECT_THROW(reshape(x, {-1, -1}), Error);
  EXPECT_THROW(reshape(graph.stream("none", parse_type("f32[0]")), {-1, 0}), Error);
}

TEST(Shapes, ErrorsNameTheLayer) {
  Graph graph;
  auto scope = graph.scope("layer1");
  Value a = graph.stream("a", parse_type("f32[2]")), b = graph.stream("b", parse_type("f32[3]"));
  try {
    add(a, b);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_NE(e.where.find("layer1 (add"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace lockstep
