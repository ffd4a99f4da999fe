#include "lockstep/config/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lockstep/config/document.h"
#include "lockstep/config/field_value.h"
#include "lockstep/config/tables.h"

namespace lockstep {
namespace {

using Section = Document::Section;
using Entry = Document::Entry;

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  Settings defaults;
  for_each_table(defaults, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  return names;
}

/// Other tables that have such a key, for a key under the wrong heading: "[optimizer], [schedule]".
std::string tables_with(std::string_view key) {
  std::vector<std::string> found;
  Settings defaults;
  for_each_table(defaults, [&](std::string_view table, const auto& part) {
    with_record(part, [&]<class R>(const R&) {
      for (const auto& name : field_names<R>())
        if (name == key) found.push_back(fmt::format("[{}]", table));
    });
  });
  return join(found, ", ");
}

void check_table_names(const Document& document) {
  auto names = table_names();
  for (const auto& section : document.sections) {
    if (std::find(names.begin(), names.end(), section.name) != names.end()) continue;
    throw user_error(fmt::format("unknown table [{}]{}", section.name, did_you_mean(section.name, names)))
        .at(section.place)
        .but(section.name, join(names, " | "));
  }
}

Error wrong_type(const std::string& table_and_key, const Entry& entry, const std::string& want,
                 std::string_view help) {
  auto error = user_error(fmt::format("{} has the wrong type", table_and_key))
                   .at(entry.place)
                   .but(fmt::format("{} ({})", entry.value.shown(), entry.value.type_name()), want);
  if (!help.empty()) error.advise(fmt::format("{} - {}", table_and_key, help));
  return error;
}

template <class F, class R>
void read_field(const std::string& table, const Entry& entry, const F& f, R& record) {
  auto& out = record.*(f.member);
  try {
    if (read_value(entry.value, out)) return;
  } catch (Error& e) {
    throw e.at(entry.place).but(entry.value.shown(), want_of(out));
  }
  throw wrong_type(table + "." + entry.key, entry, want_of(out), f.help);
}

/// Every key of the section that is not in `taken` is a field of the record.
template <class R>
void read_record(const Section& section, R& record, std::string_view taken, std::string_view record_is) {
  for (const auto& entry : section.entries) {
    if (entry.key == taken) continue;
    bool found = false;
    auto one = [&](const auto& f) {
      if (f.name != entry.key) return;
      found = true;
      read_field(section.name, entry, f, record);
    };
    std::apply([&](const auto&... f) { (one(f), ...); }, R::attrs);
    if (found) continue;
    auto names = field_names<R>();
    if (!taken.empty()) names.emplace_back(taken);
    auto error = user_error(fmt::format("unknown key '{}' in [{}]{}{}", entry.key, section.name, record_is,
                                        did_you_mean(entry.key, names)))
                     .at(entry.place)
                     .but(entry.key, join(names, " | "));
    if (auto tables = tables_with(entry.key); !tables.empty())
      error.advise(fmt::format("'{}' belongs under {}", entry.key, tables));
    throw error;
  }
}

/// The value of the key `name`, or `otherwise`.
std::string name_in(const Section& section, std::string_view otherwise, std::string_view help) {
  const auto* entry = section.find("name");
  if (entry == nullptr) return std::string(otherwise);
  std::string name;
  if (!read_value(entry->value, name)) throw wrong_type(section.name + ".name", *entry, want_of(name), help);
  return name;
}

template <class V>
V alternative_named(const Document& document, const std::string& kind, std::string_view wanted) {
  std::optional<V> found;
  std::vector<std::string> names;
  auto one = [&]<class R>(R record) {
    names.emplace_back(record_name<R>());
    if (names.back() == wanted) found = record;
  };
  [&]<class... R>(std::variant<R...>*) { (one(R{}), ...); }(static_cast<V*>(nullptr));
  if (found) return *found;
  throw user_error(fmt::format("unknown {} '{}'{}", kind, wanted, did_you_mean(wanted, names)))
      .at(document.place_of(kind + ".name"))
      .but(toml_quoted(wanted), join(names, " | "));
}

void read_model_name(const Document& document, const Section& section, Settings& settings) {
  settings.model_name = name_in(section, "", "a family or a model's short name");
  try {
    if (section.find("name") == nullptr)
      throw user_error("model.name is missing").advise("lockstep models lists them");
    settings.model = model_named(settings.model_name).model;
  } catch (Error& e) {
    throw e.at(document.place_of(section.find("name") == nullptr ? "model" : "model.name"));
  }
}

void read_part(const Document& document, const Section& section, auto& part) {
  if constexpr (is_variant<std::remove_cvref_t<decltype(part)>>::value) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(part)>, Model>) {
      auto first = std::visit([]<class R>(const R&) { return record_name<R>(); }, part);
      part = alternative_named<std::remove_cvref_t<decltype(part)>>(document, section.name,
                                                                    name_in(section, first, "which one"));
    }
    std::visit(
        [&]<class R>(R& record) {
          read_record(section, record, "name", fmt::format(" of {}", record_name<R>()));
        },
        part);
  } else {
    read_record(section, part, "", "");
  }
}

}  // namespace

Settings parse_settings(std::string_view toml_text, const std::string& origin,
                        const std::vector<std::string>& overrides) {
  auto document = read_document(toml_text, origin, overrides);
  check_table_names(document);
  const auto* model = document.find("model");
  if (model == nullptr)
    throw user_error("no [model] table")
        .at(origin)
        .but(document.sections.empty() ? "nothing" : "only other tables", "[model] with name = \"...\"")
        .advise("lockstep models lists the names");
  Settings settings;
  read_model_name(document, *model, settings);
  for_each_table(settings, [&](std::string_view name, auto& part) {
    if (const auto* section = document.find(name)) read_part(document, *section, part);
  });
  try {
    check_settings(settings);
  } catch (Error& e) {
    auto key = std::exchange(e.where, {});
    throw e.at(document.place_of(key));
  }
  return settings;
}

std::string text_override(std::string_view table_and_key, std::string_view text) {
  return fmt::format("{}={}", table_and_key, toml_quoted(text));
}

std::string settings_text(const Settings& settings) {
  std::string out;
  for_each_table(settings, [&](std::string_view table, const auto& part) {
    out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", table);
    with_record(part, [&]<class R>(const R& record) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part)>, Model>)
        out += fmt::format("name = {}\n", toml_quoted(settings.model_name));
      else if constexpr (is_variant<std::remove_cvref_t<decltype(part)>>::value)
        out += fmt::format("name = {}\n", toml_quoted(record_name<R>()));
      std::apply(
          [&](const auto&... f) {
            ((out += fmt::format("{} = {}\n", f.name, toml_text(record.*(f.member)))), ...);
          },
          R::attrs);
    });
  });
  return out;
}

bool operator==(const Settings& a, const Settings& b) {
  // The text holds every field, and numbers exactly.
  return settings_text(a) == settings_text(b);
}

}  // namespace lockstep
