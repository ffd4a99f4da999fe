// The page of all settings, derived from the records: docs/settings.md is this text.
#pragma once

#include <string>

namespace lockstep {

/// Markdown: one table per TOML table and record, each key with its default and meaning.
std::string settings_reference();

}  // namespace lockstep
