// The only reflection in the house: a record lists its fields once, and printing, parsing, equality, hashing,
// help and flags are derived from the list.
//
//   struct Pool { Shape window; float eps = 1e-5f;
//     static constexpr auto attrs = fields(field("window", &Pool::window), field("eps", &Pool::eps)); };
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "lockstep/base/dtype.h"
#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {

template <class C, class T>
struct Field {
  std::string_view name;
  T C::*member;
  std::string_view help;
};
template <class C, class T>
constexpr auto field(std::string_view name, T C::*member, std::string_view help = {}) {
  return Field<C, T>{name, member, help};
}
template <class... F>
constexpr auto fields(F... f) {
  return std::tuple{f...};
}

/// An enum becomes a field type by a function `names_of(E)` beside it that returns its names in order, from 0.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) { names_of(e).size(); };

// ---- text of one field value; the inverse throws a user error that says what was wanted ----------------

inline std::string field_text(bool v) { return v ? "true" : "false"; }
inline std::string field_text(int v) { return std::to_string(v); }
inline std::string field_text(int64_t v) { return std::to_string(v); }
inline std::string field_text(uint64_t v) { return std::to_string(v); }
inline std::string field_text(float v) { return number_text(v); }
inline std::string field_text(double v) { return number_text(v); }
inline std::string field_text(const std::string& v) { return lockstep::quoted(v); }
inline std::string field_text(DType v) { return std::string(name_of(v)); }
template <NamedEnum E>
std::string field_text(E v) {
  return std::string(names_of(v)[static_cast<size_t>(v)]);
}
template <class T>
std::string field_text(const std::vector<T>& v) {
  std::string out = "[";
  for (size_t i = 0; i < v.size(); ++i) out += (i ? "," : "") + field_text(v[i]);
  return out + "]";
}

/// Splits "a,b,[c,d],\"e,f\"" at top-level commas.
std::vector<std::string_view> split_items(std::string_view text);

inline void field_parse(std::string_view t, bool& v) {
  if (t != "true" && t != "false") throw user_error("'" + std::string(t) + "' is not true or false");
  v = t == "true";
}
inline void field_parse(std::string_view t, int64_t& v) { v = parse_int(t); }
inline void field_parse(std::string_view t, int& v) {
  int64_t wide = parse_int(t);
  if (wide != static_cast<int>(wide)) throw user_error("'" + std::string(t) + "' is out of range");
  v = static_cast<int>(wide);
}
inline void field_parse(std::string_view t, uint64_t& v) { v = parse_uint(t); }
inline void field_parse(std::string_view t, double& v) { v = parse_double(t); }
inline void field_parse(std::string_view t, float& v) { v = static_cast<float>(parse_double(t)); }
inline void field_parse(std::string_view t, std::string& v) { v = unquoted(t); }
inline void field_parse(std::string_view t, DType& v) { v = parse_dtype(t); }
template <NamedEnum E>
void field_parse(std::string_view t, E& v) {
  std::vector<std::string> names;
  for (auto n : names_of(v)) {
    if (n == t) {
      v = static_cast<E>(names.size());
      return;
    }
    names.emplace_back(n);
  }
  throw user_error("unknown choice '" + std::string(t) + "'" + did_you_mean(t, names))
      .but(std::string(t), join(names, " | "));
}
template <class T>
void field_parse(std::string_view t, std::vector<T>& v) {
  if (t.size() < 2 || t.front() != '[' || t.back() != ']')
    throw user_error("'" + std::string(t) + "' is not a list like [1,2]");
  v.clear();
  for (auto item : split_items(t.substr(1, t.size() - 2))) field_parse(trim(item), v.emplace_back());
}

// ---- whole records -----------------------------------------------------------------------------------

/// "{a=1, b=[1,2]}", or "" for a record without fields. Prints every field: a default that changes later must
/// not change the meaning of a stored text.
template <class T>
std::string record_text(const T& record) {
  std::string out;
  std::apply([&](auto... f) { ((out += (out.empty() ? "" : ", ") + std::string(f.name) + "=" + field_text(record.*(f.member))), ...); },
             T::attrs);
  return out.empty() ? out : "{" + out + "}";
}

template <class T>
std::vector<std::string> field_names() {
  std::vector<std::string> names;
  std::apply([&](auto... f) { (names.emplace_back(f.name), ...); }, T::attrs);
  return names;
}

/// Sets one field by name; throws with did-you-mean on an unknown one.
template <class T>
void set_field(T& record, std::string_view name, std::string_view value) {
  bool found = false;
  auto one = [&](auto f) {
    if (f.name != name) return;
    found = true;
    try {
      field_parse(value, record.*(f.member));
    } catch (Error& e) {
      throw e.at(std::string(name));
    }
  };
  std::apply([&](auto... f) { (one(f), ...); }, T::attrs);
  if (!found) throw user_error("unknown attribute '" + std::string(name) + "'" + did_you_mean(name, field_names<T>()));
}

/// Parses "{a=1, b=2}" or ""; fields that are not named keep their defaults; a field named twice is an error.
template <class T>
void record_parse(std::string_view text, T& record) {
  text = trim(text);
  if (text.empty()) return;
  if (text.front() != '{' || text.back() != '}') throw user_error("attributes must stand in { }: " + std::string(text));
  std::vector<std::string> seen;
  for (auto item : split_items(text.substr(1, text.size() - 2))) {
    auto equals = item.find('=');
    if (equals == std::string_view::npos) throw user_error("attribute without '=': " + std::string(item));
    std::string name(trim(item.substr(0, equals)));
    for (const auto& s : seen)
      if (s == name) throw user_error("attribute '" + name + "' is named twice");
    seen.push_back(name);
    set_field(record, name, trim(item.substr(equals + 1)));
  }
}

template <class T>
bool records_equal(const T& a, const T& b) {
  return std::apply([&](auto... f) { return ((a.*(f.member) == b.*(f.member)) && ...); }, T::attrs);
}

}  // namespace lockstep
