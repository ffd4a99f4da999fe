#include "lockstep/run/snapshot.h"

namespace lockstep {

Snapshot::Snapshot(const Bundle& bundle, const std::function<bool(const VariableDecl&)>& takes) {
  for (size_t i = 0; i < bundle.variables.size(); ++i) {
    const auto& variable = bundle.variables[i];
    if (takes && !takes(variable)) continue;
    variables_.push_back(static_cast<int>(i));
    values_.emplace_back((static_cast<size_t>(variable.type.bytes()) + 7) / 8);
    tensors_.push_back(
        {variable.name, variable.type, reinterpret_cast<const uint8_t*>(values_.back().data())});
    bytes_ += variable.type.bytes();
  }
}

void Snapshot::read(const Executable& executable) {
  for (size_t i = 0; i < variables_.size(); ++i) executable.read_variable(variables_[i], values_[i].data());
}

}  // namespace lockstep
