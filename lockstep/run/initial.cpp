#include "lockstep/run/initial.h"

#include <cmath>
#include <functional>
#include <vector>

#include "lockstep/base/error.h"
#include "lockstep/base/hash.h"
#include "lockstep/base/philox.h"
#include "lockstep/ir/tensor.h"

namespace lockstep {
namespace {

uint64_t hash64(const std::string& name) {
  uint64_t value = 0;
  for (char digit : sha256(name).substr(0, 16)) {
    auto nibble = static_cast<uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    value = value << 4 | nibble;
  }
  return value;
}

double normal_at(uint64_t key, uint64_t index) {
  auto words = philox(key, index, 0);
  return normal_of(words[0], words[1]);
}

/// A block holds two draws; one in twenty lies outside, so that a second block is rare.
double truncated_normal_at(uint64_t key, uint64_t index) {
  for (uint64_t block = 0;; ++block) {
    auto words = philox(key, index, block);
    for (size_t i : {0, 2}) {
      double z = normal_of(words[i], words[i + 1]);
      if (std::fabs(z) <= 2) return z;
    }
  }
}

/// [-1, 1), exact in single precision.
double uniform_at(uint64_t key, uint64_t index) {
  return 2.0 * static_cast<double>(uniform24(philox(key, index, 0)[0])) - 1.0;
}

void fill(Tensor& tensor, const std::function<double(uint64_t)>& value_at) {
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, value_at(static_cast<uint64_t>(i)));
}

}  // namespace

void initial_value(const VariableDecl& variable, uint64_t seed, void* bytes) {
  Tensor tensor(variable.type);
  const auto& info = variable.info;
  uint64_t key = philox_fold(seed, hash64(variable.name));
  double scale = info.scale;
  if (info.role == Role::seed) {
    LS_CHECK(variable.type.dtype == DType::u64, "a seed is u64");
    for (auto& word : tensor.whole) word = static_cast<int64_t>(seed);
    return store(tensor, bytes);
  }
  switch (info.init) {
    case Init::zeros:
      break;
    case Init::ones:
      fill(tensor, [](uint64_t) { return 1.0; });
      break;
    case Init::constant:
      fill(tensor, [=](uint64_t) { return scale; });
      break;
    case Init::normal:
      fill(tensor, [=](uint64_t i) { return scale * normal_at(key, i); });
      break;
    case Init::truncated_normal:
      fill(tensor, [=](uint64_t i) { return scale * truncated_normal_at(key, i); });
      break;
    case Init::uniform:
      fill(tensor, [=](uint64_t i) { return scale * uniform_at(key, i); });
      break;
  }
  store(tensor, bytes);
}

void initialise(Executable& executable, uint64_t seed) {
  const auto& variables = executable.bundle().variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    std::vector<uint64_t> value((static_cast<size_t>(variables[i].type.bytes()) + 7) /
                                8);  // aligned for any type
    initial_value(variables[i], seed, value.data());
    executable.write_variable(static_cast<int>(i), value.data());
  }
}

}  // namespace lockstep
