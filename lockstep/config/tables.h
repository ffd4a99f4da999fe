// The tables of the settings file: the one list of them.
#pragma once

#include <string_view>

#include "lockstep/config/settings.h"

namespace lockstep {

/// Calls visit(name, part) for each table in the order in which they are written. A part is a record, or a
/// variant of records of which the key `name` picks one. `S` is Settings or const Settings.
template <class S, class Visit>
void for_each_table(S& settings, Visit visit) {
  visit(std::string_view("model"), settings.model);
  visit(std::string_view("data"), settings.data);
  visit(std::string_view("train"), settings.train);
  visit(std::string_view("optimizer"), settings.optimizer);
  visit(std::string_view("schedule"), settings.schedule);
  visit(std::string_view("evaluate"), settings.evaluate);
  visit(std::string_view("checkpoint"), settings.checkpoint);
  visit(std::string_view("target"), settings.target);
}

template <class T>
struct is_variant : std::false_type {};
template <class... T>
struct is_variant<std::variant<T...>> : std::true_type {};

/// Calls visit(record) for the record in a part.
template <class Part, class Visit>
void with_record(Part& part, Visit visit) {
  if constexpr (is_variant<std::remove_const_t<Part>>::value)
    std::visit(visit, part);
  else
    visit(part);
}

/// The name of a record of a variant.
template <class R>
constexpr std::string_view record_name() {
  if constexpr (requires { R::info.name; })
    return R::info.name;
  else
    return R::name;
}

}  // namespace lockstep
