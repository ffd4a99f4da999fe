#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep::cli {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& n : option.get_lnames()) names.push_back("--" + n);
  for (const auto& n : option.get_snames()) names.push_back("-" + n);
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (auto& n : names_of(*option)) names.push_back(n);
  return names;
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* verb : app.get_subcommands(nullptr)) names.push_back(verb->get_name());
  return names;
}

const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
  for (const auto* verb : app.get_subcommands(nullptr))
    if (verb->get_name() == name) return verb;
  return nullptr;
}

const CLI::Option* find_option(const CLI::App& app, const std::string& name) {
  for (const auto* option : app.get_options())
    for (const auto& n : names_of(*option))
      if (n == name) return option;
  return nullptr;
}

/// "-1" and "-.5" are numbers.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0 &&
         word[1] != '.';
}

Error unknown_option(const CLI::App& app, const CLI::App* verb, const std::string& name) {
  auto names = option_names(verb != nullptr ? *verb : app);
  auto error = user_error(fmt::format("unknown option '{}'{}", name, did_you_mean(name, names)));
  std::vector<std::string> elsewhere;
  for (const auto* other : app.get_subcommands(nullptr))
    if (other != verb && find_option(*other, name) != nullptr)
      elsewhere.push_back("lockstep " + other->get_name());
  if (!elsewhere.empty())
    error.advise(fmt::format("{} belongs behind {}", name, join(elsewhere, ", ")));
  else if (verb != nullptr)
    error.advise(fmt::format("lockstep {} --help lists the options", verb->get_name()));
  return error;
}

}  // namespace

void check_names(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = nullptr;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--") break;
    if (!is_option(word)) {
      if (verb != nullptr) continue;
      verb = find_verb(app, word);
      if (verb == nullptr)
        throw user_error(fmt::format("unknown command '{}'{}", word, did_you_mean(word, verb_names(app))))
            .but(word, join(verb_names(app), " | "))
            .advise("lockstep --help says what they do");
      continue;
    }
    auto equals = word.find('=');
    auto name = word.substr(0, equals);
    const auto* option = find_option(verb != nullptr ? *verb : app, name);
    if (option == nullptr) throw unknown_option(app, verb, name);
    if (option->get_items_expected_max() > 0 && equals == std::string::npos)
      ++i;  // its value may look like anything
  }
  bool asks =
      std::any_of(words.begin(), words.end(), [&](const auto& w) { return find_option(app, w) != nullptr; });
  if (verb == nullptr && !asks)
    throw user_error("no command")
        .but("nothing", join(verb_names(app), " | "))
        .advise("lockstep --help says what they do");
}

void parse_words(CLI::App& app, const std::vector<std::string>& words) {
  check_names(app, words);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ExtrasError&) {
    auto extra = app.remaining(true);
    throw user_error(fmt::format("one argument too many: '{}'", extra.empty() ? "" : extra.front()))
        .advise(fmt::format("lockstep {} --help", words.front()));
  } catch (const CLI::ParseError& e) {
    throw user_error(e.what()).advise(fmt::format("lockstep {} --help", words.front()));
  }
}

}  // namespace lockstep::cli
