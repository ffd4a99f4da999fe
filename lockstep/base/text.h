// Small text tools shared by printers, parsers and messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// Shortest decimal text that reads back to the same value ("0.1", "1e-05", "inf", "nan").
std::string number_text(double value);
std::string number_text(float value);

/// Whole text must be the number; throws a user error naming the text otherwise.
double parse_double(std::string_view text);
int64_t parse_int(std::string_view text);
uint64_t parse_uint(std::string_view text);

/// "12.3 MiB"; exact bytes belong beside it where they matter.
std::string bytes_text(int64_t bytes);

/// "text" with \" \\ \n \t and control bytes escaped; the inverse throws on a bad escape.
std::string quoted(std::string_view text);
std::string unquoted(std::string_view text_with_quotes);

/// Damerau-Levenshtein distance, for did-you-mean.
int edit_distance(std::string_view a, std::string_view b);
/// The nearest of `names` within a third of the length, or "" when nothing is near.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& names);
/// " (did you mean 'x'?)" or "".
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace lockstep
