#include "lockstep/config/document.h"

#include <fmt/format.h>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

Document::Section& section_named(Document& document, const std::string& name, const std::string& place) {
  for (auto& section : document.sections)
    if (section.name == name) return section;
  return document.sections.emplace_back(Document::Section{name, place, {}});
}

void set(Document::Section& section, Document::Entry entry) {
  for (auto& old : section.entries)
    if (old.key == entry.key) {
      old = std::move(entry);
      return;
    }
  section.entries.push_back(std::move(entry));
}

void add_override(Document& document, const std::string& text) {
  auto place = "--set " + text;
  auto form = [&](const char* problem) {
    return user_error(problem).at(place).but(text, "table.key=value, as in train.batch=64");
  };
  auto equals = text.find('=');
  if (equals == std::string::npos) throw form("an override without '='");
  auto path = split(trim(std::string_view(text).substr(0, equals)), '.');
  if (path.size() != 2 || path[0].empty() || path[1].empty())
    throw form("an override must name a table and a key");
  try {
    set(section_named(document, path[0], place),
        {path[1], parse_toml_value(trim(std::string_view(text).substr(equals + 1))), place});
  } catch (Error& e) {
    throw e.at(place);
  }
}

}  // namespace

const Document::Entry* Document::Section::find(std::string_view key) const {
  for (const auto& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

const Document::Section* Document::find(std::string_view section) const {
  for (const auto& s : sections)
    if (s.name == section) return &s;
  return nullptr;
}

std::string Document::place_of(std::string_view table_and_key) const {
  auto dot = table_and_key.find('.');
  const auto* section = find(table_and_key.substr(0, dot));
  if (section != nullptr && dot == std::string_view::npos) return section->place;
  const auto* entry = section != nullptr ? section->find(table_and_key.substr(dot + 1)) : nullptr;
  return entry != nullptr ? entry->place : std::string(table_and_key);
}

Document read_document(std::string_view toml_text, const std::string& origin,
                       const std::vector<std::string>& overrides) {
  Document document{origin, {}};
  for (auto& table : parse_toml(toml_text, origin)) {
    if (table.name.empty()) {
      const auto& entry = table.entries.front();
      throw user_error(fmt::format("'{}' stands outside of any table", entry.key))
          .at(fmt::format("{}:{}: {}", origin, entry.line, entry.key))
          .but(fmt::format("{} ({})", entry.value.shown(), entry.value.type_name()),
               "a [table] line above it");
    }
    auto& section =
        section_named(document, table.name, fmt::format("{}:{}: [{}]", origin, table.line, table.name));
    for (auto& entry : table.entries)
      set(section, {entry.key, std::move(entry.value),
                    fmt::format("{}:{}: {}.{}", origin, entry.line, table.name, entry.key)});
  }
  for (const auto& text : overrides) add_override(document, text);
  return document;
}

}  // namespace lockstep
