// model.safetensors: the model without what only training needs.
#pragma once

#include <filesystem>

#include "lockstep/targets/target.h"

namespace lockstep {

/// Weights, biases, normalisation scales and shifts, running statistics.
bool belongs_to_model(const VariableDecl& variable);

/// Writes them under their names, with the metadata PyTorch's loader expects.
void write_model(const std::filesystem::path& path, const Executable& executable);

/// Sets the model's variables of an executable from a model or checkpoint file; more in the file does not
/// matter. Throws a user error naming the first variable that is missing or of another type, a data error
/// when the file is damaged.
void load_model(const std::filesystem::path& path, Executable& executable);

}  // namespace lockstep
