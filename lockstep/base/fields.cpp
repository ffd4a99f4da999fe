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
      if (c == '\\') ++i;
      else if (c == '"') in_quotes = false;
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

}  // namespace lockstep
