// docs/settings.md is what the records say.
#include <gtest/gtest.h>

#include <cstdlib>

#include "lockstep/base/file.h"
#include "lockstep/config/reference.h"
#include "tests/support/golden.h"

namespace lockstep {

TEST(SettingsPage, IsUpToDate) {
  auto path = source_path("docs/settings.md");
  if (std::getenv("LOCKSTEP_BLESS") != nullptr) write_file_atomically(path, settings_reference());
  EXPECT_EQ(read_file(path), settings_reference()) << "set LOCKSTEP_BLESS=1 to write the page anew";
}

}  // namespace lockstep
