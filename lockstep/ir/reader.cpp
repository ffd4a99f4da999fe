#include "lockstep/ir/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {

void Reader::skip_blank() {
  for (;;) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (text_.substr(at_, 2) != "//") return;
    at_ = std::min(text_.find('\n', at_), text_.size());
  }
}

bool Reader::at_end() {
  skip_blank();
  return at_ == text_.size();
}

bool Reader::next_is(std::string_view token) {
  skip_blank();
  return text_.substr(at_, token.size()) == token;
}

bool Reader::accept(std::string_view token) {
  if (!next_is(token)) return false;
  at_ += token.size();
  return true;
}

void Reader::expect(std::string_view token) {
  if (!accept(token)) fail(fmt::format("expected '{}'", token));
}

std::string Reader::word(std::string_view what) {
  skip_blank();
  size_t begin = last_ = at_;
  while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                text_[at_] == '_' || text_[at_] == '.'))
    ++at_;
  if (at_ == begin) fail(fmt::format("expected {}", what));
  return std::string(text_.substr(begin, at_ - begin));
}

int64_t Reader::number(std::string_view what) {
  skip_blank();
  size_t begin = last_ = at_;
  if (at_ < text_.size() && text_[at_] == '-') ++at_;
  while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  try {
    return parse_int(text_.substr(begin, at_ - begin));
  } catch (const Error&) {
    at_ = begin;
    fail(fmt::format("expected {}", what));
  }
}

std::string Reader::quoted_text(std::string_view what) {
  skip_blank();
  if (at_ >= text_.size() || text_[at_] != '"') fail(fmt::format("expected {} in quotes", what));
  size_t begin = last_ = at_++;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) {
    at_ = begin;
    fail("quoted text does not end");
  }
  ++at_;
  try {
    return unquoted(text_.substr(begin, at_ - begin));
  } catch (const Error& e) {
    at_ = begin;
    fail(e.problem);
  }
}

std::string_view Reader::bracketed(char open, char close) {
  skip_blank();
  if (at_ >= text_.size() || text_[at_] != open) return {};
  size_t begin = at_;
  int depth = 0;
  bool in_quotes = false;
  for (; at_ < text_.size(); ++at_) {
    char c = text_[at_];
    if (in_quotes) {
      if (c == '\\')
        ++at_;
      else if (c == '"')
        in_quotes = false;
    } else if (c == '"') {
      in_quotes = true;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      ++at_;
      return text_.substr(begin, at_ - begin);
    }
  }
  at_ = begin;
  fail(fmt::format("'{}' is never closed", open));
}

std::string_view Reader::type_text() {
  skip_blank();
  size_t begin = at_;
  auto end = text_.find(']', at_);
  if (end == std::string_view::npos || end - begin > 400) fail("expected a type like f32[2,3]");
  at_ = end + 1;
  return text_.substr(begin, at_ - begin);
}

std::string Reader::place(size_t at) const {
  at = std::min(at, text_.size());
  auto before = text_.substr(0, at);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  auto last = before.rfind('\n');
  return fmt::format("{}:{}:{}", origin_, line, last == std::string_view::npos ? at + 1 : at - last);
}

void Reader::fail_last(std::string problem) {
  at_ = last_;
  fail(std::move(problem));
}

void Reader::fail(std::string problem) {
  skip_blank();
  auto rest = text_.substr(std::min(at_, text_.size()), 24);
  rest = rest.substr(0, rest.find('\n'));
  throw user_error(std::move(problem)).at(place()).but(rest.empty() ? "end of text" : std::string(rest), "");
}

}  // namespace lockstep
