// What the tests that are derived from the op records share: inputs drawn from a case, and its name in
// messages.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "lockstep/ir/op.h"

namespace lockstep {

/// Uniform in the domain; whole numbers from low to high - 1, without a sign where the type has none.
inline Tensor draw(const Type& type, const Domain& domain, std::mt19937_64& random) {
  Tensor t(type);
  std::uniform_real_distribution<double> real(domain.low, domain.high);
  double low = domain.low, high = domain.high - 1;
  bool natural = type.dtype == DType::u8 || type.dtype == DType::u64;
  if (natural) low = std::max(low, 0.0);
  if (type.dtype == DType::pred) low = 0, high = 1;
  std::uniform_int_distribution<int64_t> whole(
      static_cast<int64_t>(low), std::max(static_cast<int64_t>(low), static_cast<int64_t>(high)));
  for (auto& v : t.real) v = real(random);
  for (auto& v : t.whole) v = whole(random);
  return t;
}

inline Tensors draw_inputs(const OpCase& c, std::mt19937_64& random) {
  Tensors inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    inputs.push_back(draw(c.inputs[i], i < c.domains.size() ? c.domains[i] : Domain{}, random));
  return inputs;
}

/// "case 3: conv{...}(f32[1,2], f64[3])" and how to run it alone; `suite` is "Ops/GradientCheck.Agrees".
inline std::string case_text(const OpRow& op, const OpCase& c, size_t number, const std::string& suite) {
  std::vector<std::string> types;
  for (const auto& t : c.inputs) types.push_back(type_text(t));
  std::string name(op.info.name);
  return "case " + std::to_string(number) + ": " + name + op.print(c.attrs.get()) + "(" + join(types, ", ") +
         ")\nrun: test-ops --gtest_filter=" + suite + "/" + name;
}

inline std::string op_name_of(const testing::TestParamInfo<const OpRow*>& info) {
  return std::string(info.param->info.name);
}
inline void PrintTo(const OpRow* op, std::ostream* out) { *out << op->info.name; }

}  // namespace lockstep
