// The list of all ops: the only place that sees every one of them.
#pragma once

#include <string_view>
#include <vector>

#include "lockstep/ir/op.h"

namespace lockstep {

/// In the order of their names.
const std::vector<const OpRow*>& all_ops();
/// Null when there is none of that name.
const OpRow* find_op(std::string_view name);
/// Throws a user error that names the nearest op.
const OpRow& op_named(std::string_view name);

}  // namespace lockstep
