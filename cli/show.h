#pragma once

#include "cli/verb.h"

namespace lockstep::cli {

Action declare_show(CLI::App& app);

}  // namespace lockstep::cli
