// Every op record x case: printing and parsing give the same record, and the same text.
#include <gtest/gtest.h>

#include <set>

#include "lockstep/ops/all.h"
#include "tests/ops/op_cases.h"

namespace lockstep {
namespace {

class RoundTrip : public testing::TestWithParam<const OpRow*> {};

TEST_P(RoundTrip, PrintParseEqual) {
  const OpRow& op = *GetParam();
  auto cases = op.cases();
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(case_text(op, cases[i], i, "Ops/RoundTrip.PrintParseEqual"));
    const void* attrs = cases[i].attrs.get();
    std::string text = op.print(attrs);
    std::shared_ptr<const void> back;
    ASSERT_NO_THROW(back = op.parse(text));
    EXPECT_TRUE(op.equal(attrs, back.get()));
    EXPECT_EQ(op.print(back.get()), text);
    EXPECT_EQ(op.infer(back.get(), cases[i].inputs), op.infer(attrs, cases[i].inputs));
  }
}

TEST_P(RoundTrip, UnknownAttributeIsNamed) {
  try {
    GetParam()->parse("{no_such_attribute=1}");
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user);
    EXPECT_NE(e.problem.find("no_such_attribute"), std::string::npos) << e.what();
  }
}
INSTANTIATE_TEST_SUITE_P(Ops, RoundTrip, testing::ValuesIn(all_ops()), op_name_of);

TEST(AllOps, AreSortedAndFound) {
  std::string_view last;
  for (const OpRow* op : all_ops()) {
    EXPECT_LT(last, op->info.name);
    last = op->info.name;
    EXPECT_EQ(find_op(last), op);
    EXPECT_EQ(&op_named(last), op);
  }
}

TEST(AllOps, UnknownOneGetsASuggestion) {
  EXPECT_EQ(find_op("matmull"), nullptr);
  EXPECT_EQ(find_op(""), nullptr);
  try {
    op_named("matmull");
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user);
    EXPECT_EQ(e.problem, "unknown op 'matmull' (did you mean 'matmul'?)");
  }
}

}  // namespace
}  // namespace lockstep
