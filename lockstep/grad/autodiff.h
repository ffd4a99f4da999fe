// Reverse-mode differentiation: appends the backward pass to the same graph.
#pragma once

#include "lockstep/ir/graph.h"

namespace lockstep {

/// Gradients of `loss` (any shape; `seed` has its type and is d(result)/d(loss)) with respect to each of
/// `wrt`. Nodes appended are of phase backward and carry the name of the forward node they belong to. A value
/// with several readers sums its gradients in the order of its readers, last reader first. An entry of `wrt`
/// that the loss does not depend on gives an empty Value.
Values gradients(Value loss, Value seed, const Values& wrt);

}  // namespace lockstep
