#pragma once

#include "cli/verb.h"

namespace lockstep::cli {

Action declare_train(CLI::App& app);

}  // namespace lockstep::cli
