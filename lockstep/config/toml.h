// TOML as this room sees it: tables of entries, each with its line. The parser behind it stays in toml.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct TomlValue {
  enum class Kind { integer, real, boolean, text, list, table, date };
  Kind kind = Kind::text;
  int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::string text;
  std::vector<TomlValue> items;  ///< list

  std::string_view type_name() const;  ///< "integer", "string", ...: the words of toml.io
  std::string shown() const;           ///< as it stands in a file; tables and dates only by their kind
};

struct TomlEntry {
  std::string key;
  TomlValue value;
  int line = 0;
};

struct TomlTable {
  std::string name;  ///< "" for what stands before the first table
  int line = 0;
  std::vector<TomlEntry> entries;  ///< in the order of the file
};

/// The tables in the order of the file. Throws a user error naming `origin`, line and column.
std::vector<TomlTable> parse_toml(std::string_view text, const std::string& origin);

/// A single value; what is no TOML value is taken as a string, so that a bare word needs no quotes. Throws a
/// user error when that is not UTF-8.
TomlValue parse_toml_value(std::string_view text);

/// The string in quotes, escaped as TOML wants it.
std::string toml_quoted(std::string_view text);

}  // namespace lockstep
