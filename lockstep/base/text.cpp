#include "lockstep/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lockstep/base/error.h"

namespace lockstep {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || text[i] == separator) {
      parts.emplace_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  return parts;
}

std::string_view trim(std::string_view text) {
  const auto* blank = " \t\r\n";
  auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string number_text(double value) { return fmt::format("{}", value); }
std::string number_text(float value) { return fmt::format("{}", value); }

namespace {
template <class T>
T parse_whole(std::string_view text, const char* kind) {
  T value{};
  auto t = trim(text);
  if (!t.empty() && t.front() == '+') t.remove_prefix(1);
  auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), value);
  if (ec == std::errc::result_out_of_range)
    throw user_error(fmt::format("'{}' does not fit in {}", text, kind));
  if (ec != std::errc() || end != t.data() + t.size() || t.empty())
    throw user_error(fmt::format("'{}' is not {}", text, kind));
  return value;
}
}  // namespace

double parse_double(std::string_view text) { return parse_whole<double>(text, "a number"); }
int64_t parse_int(std::string_view text) { return parse_whole<int64_t>(text, "a whole number"); }
uint64_t parse_uint(std::string_view text) {
  return parse_whole<uint64_t>(text, "a non-negative whole number");
}

std::string bytes_text(int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (std::abs(value) >= 1024 && unit < 4) value /= 1024, ++unit;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + '"';
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"')
    throw user_error(fmt::format("{} is not a quoted text", text));
  std::string out;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    char c = text[++i];
    if (c == 'n')
      out += '\n';
    else if (c == 't')
      out += '\t';
    else if (c == '"' || c == '\\')
      out += c;
    else if (c == 'x' && i + 3 < text.size()) {
      unsigned value = 0;
      auto [end, ec] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
      if (ec != std::errc() || end != text.data() + i + 3)
        throw user_error(fmt::format("bad \\x in {}", text));
      out += static_cast<char>(value);
      i += 2;
    } else {
      throw user_error(fmt::format("bad escape in {}", text));
    }
  }
  return out;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& names) {
  int best = static_cast<int>(std::max<size_t>(2, wrong.size() / 3)) + 1;
  std::string nearest;
  for (const auto& name : names)
    if (int d = edit_distance(wrong, name); d < best) best = d, nearest = name;
  return nearest;
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& names) {
  auto name = nearest_name(wrong, names);
  return name.empty() ? "" : fmt::format(" (did you mean '{}'?)", name);
}

}  // namespace lockstep
