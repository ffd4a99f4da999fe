#include "lockstep/run/model_file.h"

#include <cstring>
#include <vector>

#include "lockstep/base/error.h"
#include "lockstep/formats/safetensors.h"
#include "lockstep/run/checkpoint.h"
#include "lockstep/run/snapshot.h"

namespace lockstep {
namespace {

const TensorView& tensor_for(const VariableDecl& variable, const SafetensorsFile& file) {
  const auto* tensor = file.find(variable.name);
  if (tensor == nullptr)
    throw user_error("the file lacks a variable of the model")
        .at("variable " + variable.name)
        .but("no such tensor", type_text(variable.type))
        .advise("use the configuration the file was written with");
  if (tensor->type != variable.type)
    throw user_error("the file is of another model")
        .at("variable " + variable.name)
        .but(type_text(tensor->type), type_text(variable.type))
        .advise("use the configuration the file was written with");
  return *tensor;
}

}  // namespace

bool belongs_to_model(const VariableDecl& variable) {
  switch (variable.info.role) {
    case Role::weight:
    case Role::bias:
    case Role::norm_scale:
    case Role::norm_shift:
    case Role::statistic:
      return true;
    case Role::optimizer_state:
    case Role::counter:
    case Role::flag:
    case Role::loss_scale:
    case Role::seed:
      break;
  }
  return false;
}

void write_model(const std::filesystem::path& path, const Executable& executable) {
  Snapshot snapshot(executable.bundle(), belongs_to_model);
  snapshot.read(executable);
  write_safetensors(path, snapshot.tensors(), {{"format", "pt"}});
}

void load_model(const std::filesystem::path& path, Executable& executable) {
  if (path.extension() == ".ckpt") CheckpointFile whole(path);  // throws when it is damaged
  SafetensorsFile file(path);
  const auto& variables = executable.bundle().variables;
  try {
    for (size_t i = 0; i < variables.size(); ++i) {
      if (!belongs_to_model(variables[i])) continue;
      const auto& tensor = tensor_for(variables[i], file);
      auto bytes = static_cast<size_t>(tensor.type.bytes());
      std::vector<uint64_t> aligned((bytes + 7) / 8);
      if (bytes > 0) std::memcpy(aligned.data(), tensor.data, bytes);
      executable.write_variable(static_cast<int>(i), aligned.data());
    }
  } catch (Error& e) {
    throw e.at(path.string());
  }
}

}  // namespace lockstep
