#include "lockstep/config/reference.h"

#include <fmt/format.h>

#include "lockstep/config/tables.h"

namespace lockstep {
namespace {

template <class R>
std::string keys_of(const R& record) {
  std::string out = "| key | default | meaning |\n|---|---|---|\n";
  for (const auto& f : field_table<R>())
    out += fmt::format("| `{}` | `{}` | {} |\n", f.name, f.print(&record), f.help);
  return out + "\n";
}

template <class R>
std::string_view help_of() {
  if constexpr (requires { R::info.help; })
    return R::info.help;
  else
    return R::help;
}

template <class R>
std::string choice_of(std::string_view table) {
  return fmt::format("### [{}] name = \"{}\"\n\n{}\n\n{}", table, record_name<R>(), help_of<R>(),
                     keys_of(R{}));
}

template <class... R>
std::string choices_of(std::string_view table, const std::variant<R...>&) {
  return (choice_of<R>(table) + ...);
}

}  // namespace

std::string settings_reference() {
  std::string out =
      "# Settings\n\nEvery key of a configuration file. `--set table.key=value` sets one on the command "
      "line; an unknown "
      "key is an\nerror. Written from the records (`LOCKSTEP_BLESS=1 build/release/tests/test-unit "
      "--gtest_filter='SettingsPage*'`).\n\nIn `[model]`, `name` is a family below, or a published model's "
      "short "
      "name (`lockstep models`), whose options are then\nthe defaults.\n\n";
  Settings defaults;
  for_each_table(defaults, [&](std::string_view name, const auto& part) {
    out += fmt::format("## [{}]\n\n", name);
    if constexpr (is_variant<std::remove_cvref_t<decltype(part)>>::value)
      out += choices_of(name, part);
    else
      out += keys_of(part);
  });
  return out;
}

}  // namespace lockstep
