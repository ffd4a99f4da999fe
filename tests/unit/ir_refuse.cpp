// Texts that must not be read, and what their authors are told: tests/refuse/*.txt.
//
//   // refuse: graph | bundle | rule
//   the text; lines are counted from the file's first
//   // ---
//   lines of which each must stand in the message
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "lockstep/base/file.h"
#include "lockstep/ir/parse.h"
#include "lockstep/ops/all.h"
#include "lockstep/passes/rules/rule.h"
#include "lockstep/program/bundle.h"
#include "tests/support/golden.h"

namespace lockstep {
namespace {

std::vector<std::string> refuse_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/refuse")))
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class Refuse : public testing::TestWithParam<std::string> {};

TEST_P(Refuse, SaysWhy) {
  std::string file = "tests/refuse/" + GetParam() + ".txt";
  auto text = read_file(source_path(file));
  auto cut = text.find("// ---\n");
  ASSERT_NE(cut, std::string::npos) << file << " has no expectation";
  auto body = text.substr(0, cut);
  auto kind = std::string(trim(body.substr(0, body.find('\n'))));
  std::string message;
  try {
    if (kind == "// refuse: graph") {
      parse_graph(body, op_named, file);
    } else if (kind == "// refuse: bundle") {
      parse_bundle(body, op_named, file);
    } else {
      ASSERT_EQ(kind, "// refuse: rule") << file;
      parse_pattern(body);
    }
  } catch (const Error& e) {
    message = e.what();
    // Rules are written by us, everything else may come from anybody.
    EXPECT_EQ(e.kind, kind == "// refuse: rule" ? ErrorKind::bug : ErrorKind::user)
        << file << ": " << message;
  }
  ASSERT_FALSE(message.empty()) << file << " was read without an error";
  auto wanted = split(text.substr(cut + 7), '\n');
  wanted.erase(std::remove(wanted.begin(), wanted.end(), ""), wanted.end());
  EXPECT_FALSE(wanted.empty()) << file << " expects nothing";
  for (const auto& w : wanted)
    EXPECT_NE(message.find(w), std::string::npos) << file << " wants\n" << w << "\n---- in\n" << message;
}
INSTANTIATE_TEST_SUITE_P(Texts, Refuse, testing::ValuesIn(refuse_files()),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace lockstep
