// The only reflection in the house: a record lists its fields once, and printing, parsing, equality, hashing,
// help and flags are derived from the list.
//
//   struct Pool { Shape window; float eps = 1e-5f;
//     static constexpr auto attrs = fields(field("window", &Pool::window), field("eps", &Pool::eps)); };
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
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

/// An enum becomes a field type by a function `names_of(E)` beside it that returns its names in order, from
/// 0.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  names_of(e).size();
};

// ---- text of one field value; the inverse throws a user error that says what was wanted ----------------

std::string field_text(bool v);
std::string field_text(int v);
std::string field_text(int64_t v);
std::string field_text(uint64_t v);
std::string field_text(float v);
std::string field_text(double v);
std::string field_text(const std::string& v);
std::string field_text(DType v);
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

void field_parse(std::string_view t, bool& v);
void field_parse(std::string_view t, int64_t& v);
void field_parse(std::string_view t, int& v);
void field_parse(std::string_view t, uint64_t& v);
void field_parse(std::string_view t, double& v);
void field_parse(std::string_view t, float& v);
void field_parse(std::string_view t, std::string& v);
void field_parse(std::string_view t, DType& v);
/// The number of the name in `names`; throws with did-you-mean.
size_t parse_choice(std::string_view t, const std::vector<std::string_view>& names);
template <NamedEnum E>
void field_parse(std::string_view t, E& v) {
  v = static_cast<E>(parse_choice(t, names_of(v)));
}
template <class T>
void field_parse(std::string_view t, std::vector<T>& v) {
  if (t.size() < 2 || t.front() != '[' || t.back() != ']')
    throw user_error("'" + std::string(t) + "' is not a list like [1,2]");
  v.clear();
  for (auto item : split_items(t.substr(1, t.size() - 2))) field_parse(trim(item), v.emplace_back());
}

// ---- whole records: the list erased to a table, so that each record costs the compiler little ------------

struct FieldAccess {
  std::string_view name, help;
  std::string (*print)(const void* record);
  void (*parse)(std::string_view text, void* record);
  bool (*equal)(const void* a, const void* b);
};
using FieldTable = std::span<const FieldAccess>;

template <class T, size_t I>
constexpr FieldAccess field_access() {
  return {std::get<I>(T::attrs).name, std::get<I>(T::attrs).help,
          [](const void* r) { return field_text(static_cast<const T*>(r)->*(std::get<I>(T::attrs).member)); },
          [](std::string_view text, void* r) {
            field_parse(text, static_cast<T*>(r)->*(std::get<I>(T::attrs).member));
          },
          [](const void* a, const void* b) {
            constexpr auto member = std::get<I>(T::attrs).member;
            return static_cast<const T*>(a)->*member == static_cast<const T*>(b)->*member;
          }};
}

template <class T>
FieldTable field_table() {
  constexpr size_t size = std::tuple_size_v<std::remove_const_t<decltype(T::attrs)>>;
  static constexpr auto table = []<size_t... I>(std::index_sequence<I...>) {
    return std::array<FieldAccess, size>{field_access<T, I>()...};
  }
  (std::make_index_sequence<size>());
  return table;
}

std::string record_text(FieldTable table, const void* record);
void set_field(FieldTable table, void* record, std::string_view name, std::string_view value);
void record_parse(FieldTable table, std::string_view text, void* record);
bool records_equal(FieldTable table, const void* a, const void* b);
std::vector<std::string> field_names(FieldTable table);

/// "{a=1, b=[1,2]}", or "" for a record without fields. Prints every field: a default that changes later must
/// not change the meaning of a stored text.
template <class T>
std::string record_text(const T& record) {
  return record_text(field_table<T>(), &record);
}
template <class T>
std::vector<std::string> field_names() {
  return field_names(field_table<T>());
}
/// Sets one field by name; throws with did-you-mean on an unknown one.
template <class T>
void set_field(T& record, std::string_view name, std::string_view value) {
  set_field(field_table<T>(), &record, name, value);
}
/// Parses "{a=1, b=2}" or ""; fields that are not named keep their defaults; a field named twice is an error.
template <class T>
void record_parse(std::string_view text, T& record) {
  record_parse(field_table<T>(), text, &record);
}
template <class T>
bool records_equal(const T& a, const T& b) {
  return records_equal(field_table<T>(), &a, &b);
}

}  // namespace lockstep
