// Text goldens: files of tests/text/ that hold cases of an input and what it must become, letter by letter.
//
//   // case: name
//   graph "g" ...
//   // ---
//   graph "g" ...
//
// LOCKSTEP_BLESS=1 in the environment writes the second half anew from what the code gives; read the diff.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lockstep {

struct GoldenCase {
  std::string name, input, expected;
};

/// A path below the project's root: LOCKSTEP_SOURCE_DIR, or the current folder without it.
std::string source_path(const std::string& relative);

std::vector<GoldenCase> golden_cases(const std::string& relative);
/// Runs each case of the file and expects its output; a file that is missing or has no case is a failure,
/// too.
void check_golden(const std::string& relative, const std::function<std::string(const GoldenCase&)>& run);

}  // namespace lockstep
