#pragma once

#include "cli/verb.h"

namespace lockstep::cli {

Action declare_eval(CLI::App& app);

}  // namespace lockstep::cli
