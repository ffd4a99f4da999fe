#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "lockstep/base/error.h"
#include "lockstep/base/file.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

constexpr std::string_view case_mark = "// case: ", split_mark = "// ---";

struct GoldenFile {
  std::string header;  ///< what stands before the first case
  std::vector<GoldenCase> cases;
};

GoldenFile parse_file(const std::string& text) {
  GoldenFile file;
  std::string* part = &file.header;
  for (const auto& line : split(text, '\n')) {
    if (line.starts_with(case_mark)) {
      part = &file.cases.emplace_back(GoldenCase{line.substr(case_mark.size()), {}, {}}).input;
    } else if (line == split_mark && !file.cases.empty()) {
      part = &file.cases.back().expected;
    } else {
      *part += line + "\n";
    }
  }
  for (auto& c : file.cases) {
    c.input = std::string(trim(c.input)) + "\n";
    c.expected = std::string(trim(c.expected)) + "\n";
  }
  return file;
}

std::string file_text(const GoldenFile& file) {
  std::string text = file.header;
  for (size_t i = 0; i < file.cases.size(); ++i) {
    const auto& c = file.cases[i];
    text += (i ? "\n" : "") + std::string(case_mark) + c.name + "\n" + c.input + std::string(split_mark) +
            "\n" + c.expected;
  }
  return text;
}

bool blessing() {
  const char* value = std::getenv("LOCKSTEP_BLESS");
  return value != nullptr && std::string_view(value) == "1";
}

/// The first line in which the two differ.
std::string first_difference(const std::string& expected, const std::string& got) {
  auto a = split(expected, '\n'), b = split(got, '\n');
  for (size_t i = 0; i < a.size() || i < b.size(); ++i) {
    std::string left = i < a.size() ? a[i] : "(end)", right = i < b.size() ? b[i] : "(end)";
    if (left != right) return "line " + std::to_string(i + 1) + "\n  want: " + left + "\n  got:  " + right;
  }
  return "nothing";
}

}  // namespace

std::string source_path(const std::string& relative) {
  const char* root = std::getenv("LOCKSTEP_SOURCE_DIR");
  return root == nullptr ? relative : std::string(root) + "/" + relative;
}

std::vector<GoldenCase> golden_cases(const std::string& relative) {
  return parse_file(read_file(source_path(relative))).cases;
}

void check_golden(const std::string& relative, const std::function<std::string(const GoldenCase&)>& run) {
  auto path = source_path(relative);
  GoldenFile file;
  ASSERT_NO_THROW(file = parse_file(read_file(path))) << "every pass has its golden text: " << relative;
  ASSERT_FALSE(file.cases.empty()) << relative << " has no case";
  for (auto& c : file.cases) {
    std::string got;
    try {
      got = run(c);
    } catch (const Error& e) {
      ADD_FAILURE() << relative << ", case '" << c.name << "': " << e.what();
      continue;
    }
    if (blessing()) c.expected = got;
    if (got != c.expected)
      ADD_FAILURE() << relative << ", case '" << c.name << "' differs in "
                    << first_difference(c.expected, got) << "\n---- the whole output:\n"
                    << got << "---- accept it with LOCKSTEP_BLESS=1 before the command";
  }
  if (blessing()) write_file_atomically(path, file_text(file));
}

}  // namespace lockstep
