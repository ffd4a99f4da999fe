// Programs of several ranks: collectives in one order, every send met by its recv, or a refusal that names a
// rank.
#include <gtest/gtest.h>

#include "lockstep/ops/all.h"
#include "lockstep/program/verify.h"

namespace lockstep {
namespace {

/// The steps of each rank, in the text form.
Bundle bundle_of(const std::vector<std::string>& ranks) {
  std::string text = "bundle \"ranks\" format=1 {\n";
  for (const char* variable : {"$0 \"a\" : f32[4]", "$1 \"b\" : f32[2]", "$2 \"c\" : f32[4]"})
    text += std::string("  variable ") + variable +
            " {role=weight, trainable=false, init=zeros, scale=0, owner=\"\"}\n";
  for (size_t r = 0; r < ranks.size(); ++r)
    text += "  program \"" + std::to_string(r) + "\" {\n" + ranks[r] + "  }\n";
  auto bundle = parse_bundle(text + "}\n", op_named);
  EXPECT_EQ(print(parse_bundle(print(bundle), op_named)), print(bundle));
  return bundle;
}

void check(const std::vector<std::string>& ranks) {
  auto bundle = bundle_of(ranks);
  std::vector<const Program*> programs;
  for (const auto& p : bundle.programs) programs.push_back(&p);
  verify_ranks(programs, bundle);
}

std::string send(int to, const std::string& what = "$0", int tag = 0) {
  return "send{peer=" + std::to_string(to) + ", tag=" + std::to_string(tag) + "} " + what + "\n";
}
std::string recv(int from, const std::string& what = "$2", int tag = 0) {
  return "recv{peer=" + std::to_string(from) + ", tag=" + std::to_string(tag) + "} " + what + "\n";
}
std::string sum(const std::string& what = "$0", const std::string& attrs = "") {
  return "collective{collective=all_reduce" + attrs + "} " + what + " = " + what + "\n";
}
std::string repeat(int limit, const std::string& body) {
  return "repeat i <= " + std::to_string(limit) + " {\n" + body + "}\n";
}

TEST(Ranks, GoodOnesPass) {
  check({sum(), sum(), sum()});
  check({repeat(4, sum() + sum("$1")), repeat(4, sum() + sum("$1"))});
  check({send(1) + recv(1), recv(0) + send(0)});
  // A ring in legal order: rank 0 sends first, the others receive first.
  check({send(1) + recv(3), recv(0) + send(2), recv(1) + send(3), recv(2) + send(0)});
  check({send(1) + sum() + recv(1), recv(0) + sum() + send(0)});
  check({sum()});
  check({"", ""});
  check({});
}

TEST(Ranks, StartedMovesAreReadPrintedAndChecked) {
  std::string rank = "start 3 " + sum() + "$1 = relu($1)\nwait 3\n";
  check({rank, rank});
  check({repeat(2, rank), repeat(2, rank)});
  check({"start 1 " + send(1) + "$1 = relu($1)\nwait 1\n", "start 0 " + recv(0) + "$1 = relu($1)\nwait 0\n"});
}

struct Broken {
  const char* name;
  std::vector<std::string> ranks;
  std::string message;
  int rank;
};

std::vector<Broken> broken_ones() {
  return {
      {"SwappedCollectives", {sum() + sum("$1"), sum("$1") + sum()}, "rank 0 issues collective", 1},
      {"OtherTypes", {sum(), sum("$1")}, "on f32[4] here", 1},
      {"OtherOrderOfSum", {sum(), sum(), sum("$0", ", order=any")}, "rank 0 issues collective", 2},
      {"OtherGroup",
       {sum("$0", ", group=\"left\""), sum("$0", ", group=\"right\"")},
       "rank 0 issues collective",
       1},
      {"CollectiveMissing", {sum() + sum(), sum()}, "no other rank meets this step", 0},
      {"CollectiveInOtherRepeats", {repeat(4, sum()), repeat(3, sum())}, "in other repeats", 1},
      {"MissingRecv", {send(1), ""}, "rank 1 never receives this", 0},
      {"MissingSend", {"", recv(0)}, "no other rank meets this step", 1},
      {"WrongTag", {send(1, "$0", 7), recv(0, "$2", 8)}, "rank 1 receives tag 8 here", 0},
      {"WrongType", {send(1, "$0"), recv(0, "$1")}, "rank 1 receives f32[2] here, not f32[4]", 0},
      {"OtherRepeats", {repeat(4, send(1)), recv(0)}, "rank 1 receives this in other repeats", 0},
      {"CyclicWait", {recv(1) + send(1), recv(0) + send(0)}, "the ranks would wait forever", 0},
      {"RingOfSends",
       {send(1) + recv(2), send(2) + recv(0), send(0) + recv(1)},
       "the ranks would wait forever",
       0},
      {"SendToNowhere", {send(5), ""}, "sends to a rank that does not exist", 0},
      {"SendToBelowZero", {"", send(-1)}, "sends to a rank that does not exist", 1},
      {"SendToItself", {send(0) + recv(0), ""}, "the ranks would wait forever", 0},
      {"RecvFromNowhere", {recv(9), ""}, "the ranks would wait forever", 0},
      {"CollectiveAgainstRecv", {sum() + send(1), recv(0) + sum()}, "the ranks would wait forever", 0},
      {"WrongPeer", {send(1), recv(2), ""}, "the ranks would wait forever", 0},
  };
}

class BrokenRanks : public testing::TestWithParam<Broken> {};

TEST_P(BrokenRanks, AreRefused) {
  const auto& broken = GetParam();
  try {
    check(broken.ranks);
    FAIL() << broken.name << " passed";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user);
    EXPECT_EQ(e.rank, broken.rank) << e.what();
    std::string text = e.what();
    EXPECT_NE(text.find(broken.message), std::string::npos) << "want " << broken.message << "\ngot " << text;
    EXPECT_NE(text.find("rank " + std::to_string(broken.rank)), std::string::npos) << text;
  }
}
INSTANTIATE_TEST_SUITE_P(Ranks, BrokenRanks, testing::ValuesIn(broken_ones()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace lockstep
