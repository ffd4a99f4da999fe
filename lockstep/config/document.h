// A TOML file and the overrides on top of it, merged: each key once, with the place where the user wrote it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config/toml.h"

namespace lockstep {

struct Document {
  struct Entry {
    std::string key;
    TomlValue value;
    std::string place;  ///< "run.toml:3: train.batch" or "--set train.batch=3"
  };
  struct Section {
    std::string name;
    std::string place;  ///< "run.toml:2: [train]"
    std::vector<Entry> entries;
    const Entry* find(std::string_view key) const;  ///< null when it is not set
  };
  std::string origin;
  std::vector<Section> sections;

  const Section* find(std::string_view section) const;  ///< null when nothing in it is set
  /// Where "train.batch", or the table "train", was written; its own name when it is a default.
  std::string place_of(std::string_view table_and_key) const;
};

/// Throws a user error for text that is not TOML, a key outside of any table and an override that is not
/// "a.b=value".
Document read_document(std::string_view toml_text, const std::string& origin,
                       const std::vector<std::string>& overrides);

}  // namespace lockstep
