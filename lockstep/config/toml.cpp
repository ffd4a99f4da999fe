#include "lockstep/config/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

using Kind = TomlValue::Kind;

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

TomlValue value_of(const toml::node& node) {
  TomlValue v;
  if (const auto* integer = node.as_integer()) {
    v.kind = Kind::integer;
    v.integer = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    v.kind = Kind::real;
    v.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    v.kind = Kind::boolean;
    v.boolean = boolean->get();
  } else if (const auto* text = node.as_string()) {
    v.text = text->get();
  } else if (const auto* list = node.as_array()) {
    v.kind = Kind::list;
    for (const auto& item : *list) v.items.push_back(value_of(item));
  } else {
    v.kind = node.is_table() ? Kind::table : Kind::date;
  }
  return v;
}

/// The library keeps tables sorted by key; messages go by the order of the file.
template <class T>
void sort_by_line(std::vector<T>& things) {
  std::stable_sort(things.begin(), things.end(), [](const T& a, const T& b) { return a.line < b.line; });
}

TomlTable table_of(std::string_view name, const toml::table& node) {
  TomlTable table{std::string(name), line_of(node), {}};
  for (const auto& [key, value] : node)
    table.entries.push_back(
        {std::string(key.str()), value_of(value), static_cast<int>(key.source().begin.line)});
  sort_by_line(table.entries);
  return table;
}

Error not_toml(const toml::parse_error& e, std::string_view text, const std::string& origin) {
  auto at = e.source().begin;
  auto lines = split(text, '\n');
  std::string line = at.line >= 1 && at.line <= lines.size() ? std::string(trim(lines[at.line - 1])) : "";
  auto error = user_error(fmt::format("not valid TOML: {}", e.description()))
                   .at(fmt::format("{}:{}:{}", origin, at.line, at.column));
  if (!line.empty() && line.size() <= 200) error.but(line, "");
  auto equals = line.find('=');
  if (equals != std::string::npos) {
    auto value = trim(std::string_view(line).substr(equals + 1));
    if (!value.empty() &&
        (std::isalpha(static_cast<unsigned char>(value[0])) != 0 || value[0] == '/' || value[0] == '.'))
      error.advise(
          fmt::format("strings stand in quotes: {} = {}", trim(line.substr(0, equals)), toml_quoted(value)));
  }
  return error;
}

}  // namespace

std::string_view TomlValue::type_name() const {
  switch (kind) {
    case Kind::integer:
      return "integer";
    case Kind::real:
      return "float";
    case Kind::boolean:
      return "boolean";
    case Kind::text:
      return "string";
    case Kind::list:
      return "array";
    case Kind::table:
      return "table";
    case Kind::date:
      break;
  }
  return "date or time";
}

std::string TomlValue::shown() const {
  switch (kind) {
    case Kind::integer:
      return std::to_string(integer);
    case Kind::real:
      return number_text(real);
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::text:
      return toml_quoted(text);
    case Kind::table:
      return "{...}";
    case Kind::date:
      return "...";
    case Kind::list:
      break;
  }
  std::vector<std::string> parts;
  for (const auto& item : items) parts.push_back(item.shown());
  return "[" + join(parts, ", ") + "]";
}

std::vector<TomlTable> parse_toml(std::string_view text, const std::string& origin) try {
  auto root = toml::parse(text);
  std::vector<TomlTable> tables;
  TomlTable loose;
  for (const auto& [key, value] : root) {
    int line = static_cast<int>(key.source().begin.line);
    if (const auto* table = value.as_table()) {
      tables.push_back(table_of(key.str(), *table));
      tables.back().line = line;
    } else {
      loose.entries.push_back({std::string(key.str()), value_of(value), line});
    }
  }
  sort_by_line(loose.entries);
  sort_by_line(tables);
  if (!loose.entries.empty()) tables.insert(tables.begin(), loose);
  return tables;
} catch (const toml::parse_error& e) {
  throw not_toml(e, text, origin);
}

TomlValue parse_toml_value(std::string_view text) {
  // One entry and no more: a line break in `text` must not smuggle in a second one.
  try {
    auto root = toml::parse("v = " + std::string(text));
    if (root.size() == 1 && root.contains("v")) return value_of(*root.get("v"));
  } catch (const toml::parse_error&) {  // a bare word
  }
  try {
    return value_of(*toml::parse("v = " + toml_quoted(text)).get("v"));
  } catch (const toml::parse_error& e) {
    throw user_error(fmt::format("not text in UTF-8: {}", e.description()));
  }
}

std::string toml_quoted(std::string_view text) {
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
      out += fmt::format("\\u{:04X}", byte);
    else
      out += c;
  }
  return out + '"';
}

}  // namespace lockstep
