// One field of a record from a TOML value, and back: strict types, chosen by the field's own.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "lockstep/base/fields.h"
#include "lockstep/config/toml.h"

namespace lockstep {

// ---- what a field wants, in words ----------------------------------------------------------------------

inline std::string want_of(bool) { return "true or false"; }
inline std::string want_of(int64_t) { return "an integer"; }
inline std::string want_of(double) { return "a number"; }
inline std::string want_of(const std::string&) { return "a string"; }
template <NamedEnum E>
std::string want_of(E v) {
  std::vector<std::string> names;
  for (auto n : names_of(v)) names.push_back(toml_quoted(n));
  return join(names, " | ");
}
template <class T>
std::string want_of(const std::vector<T>&) {
  std::string one = want_of(T{});
  return fmt::format("an array, each item {}", one);
}

// ---- reading: false when the type is wrong -------------------------------------------------------------

inline bool read_value(const TomlValue& in, bool& out) {
  if (in.kind != TomlValue::Kind::boolean) return false;
  out = in.boolean;
  return true;
}
inline bool read_value(const TomlValue& in, int64_t& out) {
  if (in.kind != TomlValue::Kind::integer) return false;
  out = in.integer;
  return true;
}
inline bool read_value(const TomlValue& in, double& out) {
  if (in.kind == TomlValue::Kind::integer)
    out = static_cast<double>(in.integer);
  else if (in.kind == TomlValue::Kind::real)
    out = in.real;
  else
    return false;
  return true;
}
inline bool read_value(const TomlValue& in, std::string& out) {
  if (in.kind != TomlValue::Kind::text) return false;
  out = in.text;
  return true;
}
/// Throws for a string that is none of the names.
template <NamedEnum E>
bool read_value(const TomlValue& in, E& out) {
  if (in.kind != TomlValue::Kind::text) return false;
  std::vector<std::string> names;
  for (auto n : names_of(out)) {
    if (n == in.text) {
      out = static_cast<E>(names.size());
      return true;
    }
    names.emplace_back(n);
  }
  throw user_error(fmt::format("unknown choice '{}'{}", in.text, did_you_mean(in.text, names)));
}
template <class T>
bool read_value(const TomlValue& in, std::vector<T>& out) {
  if (in.kind != TomlValue::Kind::list) return false;
  std::vector<T> items;
  for (const auto& item : in.items) {
    T one{};
    if (!read_value(item, one)) return false;
    items.push_back(std::move(one));
  }
  out = std::move(items);
  return true;
}

// ---- writing -------------------------------------------------------------------------------------------

inline std::string toml_text(bool v) { return v ? "true" : "false"; }
inline std::string toml_text(int64_t v) { return std::to_string(v); }
/// A whole number is written as an integer, which a number field reads; -0 would lose its sign that way.
inline std::string toml_text(double v) { return v == 0 && std::signbit(v) ? "-0.0" : number_text(v); }
inline std::string toml_text(const std::string& v) { return toml_quoted(v); }
template <NamedEnum E>
std::string toml_text(E v) {
  return toml_quoted(field_text(v));
}
template <class T>
std::string toml_text(const std::vector<T>& v) {
  std::vector<std::string> items;
  for (const auto& item : v) items.push_back(toml_text(item));
  return "[" + join(items, ", ") + "]";
}

}  // namespace lockstep
