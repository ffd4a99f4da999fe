#pragma once

#include "cli/verb.h"

namespace lockstep::cli {

Action declare_models(CLI::App& app);

}  // namespace lockstep::cli
