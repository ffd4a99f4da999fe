// A cursor over the text forms (graphs, bundles): every error names line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/base/error.h"

namespace lockstep {

class Reader {
 public:
  /// `origin` names the text in errors: a file or "text".
  Reader(std::string_view text, std::string origin) : text_(text), origin_(std::move(origin)) {}

  bool at_end();
  /// Skips blanks, line ends and `// comments`; true when the next characters are `token`, which is consumed.
  bool accept(std::string_view token);
  void expect(std::string_view token);
  /// True without consuming.
  bool next_is(std::string_view token);

  std::string word(std::string_view what);         ///< letters, digits, _ and .
  int64_t number(std::string_view what);           ///< decimal whole number, optional sign
  std::string quoted_text(std::string_view what);  ///< "..." unescaped
  /// From `open` to its matching `close`, nested and quote-aware, brackets included; "" if next is not
  /// `open`.
  std::string_view bracketed(char open, char close);
  std::string_view type_text();  ///< "f32[2,3]"

  [[noreturn]] void fail(std::string problem);       ///< about what comes next
  [[noreturn]] void fail_last(std::string problem);  ///< about the word, number or quoted text read last
  std::string place() const { return place(at_); }

  /// Runs `read`; an error without a place in this text gets the place where reading began.
  template <class Read>
  auto placed(Read read) {
    skip_blank();
    size_t begin = at_;
    try {
      return read();
    } catch (Error& e) {
      if (e.where.starts_with(origin_ + ":")) throw;
      throw e.at(place(begin));
    }
  }

 private:
  std::string place(size_t at) const;
  void skip_blank();
  std::string_view text_;
  std::string origin_;
  size_t at_ = 0;
  size_t last_ = 0;  ///< where the last word, number or quoted text began
};

}  // namespace lockstep
