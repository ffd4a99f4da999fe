#include "lockstep/base/fields.h"

namespace lockstep {

std::vector<std::string_view> split_items(std::string_view text) {
  std::vector<std::string_view> items;
  if (trim(text).empty()) return items;
  int depth = 0;
  bool in_quotes = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_quotes) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_quotes = false;
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  items.push_back(trim(text.substr(begin)));
  return items;
}

std::string field_text(bool v) { return v ? "true" : "false"; }
std::string field_text(int v) { return std::to_string(v); }
std::string field_text(int64_t v) { return std::to_string(v); }
std::string field_text(uint64_t v) { return std::to_string(v); }
std::string field_text(float v) { return number_text(v); }
std::string field_text(double v) { return number_text(v); }
std::string field_text(const std::string& v) { return lockstep::quoted(v); }
std::string field_text(DType v) { return std::string(name_of(v)); }

void field_parse(std::string_view t, bool& v) {
  if (t != "true" && t != "false") throw user_error("'" + std::string(t) + "' is not true or false");
  v = t == "true";
}
void field_parse(std::string_view t, int64_t& v) { v = parse_int(t); }
void field_parse(std::string_view t, int& v) {
  int64_t wide = parse_int(t);
  if (wide != static_cast<int>(wide)) throw user_error("'" + std::string(t) + "' is out of range");
  v = static_cast<int>(wide);
}
void field_parse(std::string_view t, uint64_t& v) { v = parse_uint(t); }
void field_parse(std::string_view t, double& v) { v = parse_double(t); }
void field_parse(std::string_view t, float& v) { v = static_cast<float>(parse_double(t)); }
void field_parse(std::string_view t, std::string& v) { v = unquoted(t); }
void field_parse(std::string_view t, DType& v) { v = parse_dtype(t); }

size_t parse_choice(std::string_view t, const std::vector<std::string_view>& names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == t) return i;
  std::vector<std::string> list(names.begin(), names.end());
  throw user_error("unknown choice '" + std::string(t) + "'" + did_you_mean(t, list))
      .but(std::string(t), join(list, " | "));
}

std::string record_text(FieldTable table, const void* record) {
  std::string out;
  for (const auto& f : table) out += (out.empty() ? "" : ", ") + std::string(f.name) + "=" + f.print(record);
  return out.empty() ? out : "{" + out + "}";
}

std::vector<std::string> field_names(FieldTable table) {
  std::vector<std::string> names;
  for (const auto& f : table) names.emplace_back(f.name);
  return names;
}

void set_field(FieldTable table, void* record, std::string_view name, std::string_view value) {
  for (const auto& f : table) {
    if (f.name != name) continue;
    try {
      return f.parse(value, record);
    } catch (Error& e) {
      throw e.at(std::string(name));
    }
  }
  throw user_error("unknown attribute '" + std::string(name) + "'" + did_you_mean(name, field_names(table)));
}

void record_parse(FieldTable table, std::string_view text, void* record) {
  text = trim(text);
  if (text.empty()) return;
  if (text.front() != '{' || text.back() != '}')
    throw user_error("attributes must stand in { }: " + std::string(text));
  std::vector<std::string> seen;
  for (auto item : split_items(text.substr(1, text.size() - 2))) {
    auto equals = item.find('=');
    if (equals == std::string_view::npos) throw user_error("attribute without '=': " + std::string(item));
    std::string name(trim(item.substr(0, equals)));
    for (const auto& s : seen)
      if (s == name) throw user_error("attribute '" + name + "' is named twice");
    seen.push_back(name);
    set_field(table, record, name, trim(item.substr(equals + 1)));
  }
}

bool records_equal(FieldTable table, const void* a, const void* b) {
  for (const auto& f : table)
    if (!f.equal(a, b)) return false;
  return true;
}

}  // namespace lockstep
