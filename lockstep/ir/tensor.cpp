#include "lockstep/ir/tensor.h"

#include <cstring>

namespace lockstep {

Tensor::Tensor(Type t) : type(std::move(t)) {
  if (is_float(type.dtype))
    real.assign(type.elements(), 0.0);
  else
    whole.assign(type.elements(), 0);
}

void round_to_type(Tensor& t) {
  switch (t.type.dtype) {
    case DType::f64:
      return;
    case DType::f32:
      for (auto& v : t.real) v = static_cast<float>(v);
      return;
    case DType::f16:
      for (auto& v : t.real) v = f16_to_f32(f32_to_f16(static_cast<float>(v)));
      return;
    case DType::bf16:
      for (auto& v : t.real) v = bf16_to_f32(f32_to_bf16(static_cast<float>(v)));
      return;
    case DType::i32:
      for (auto& v : t.whole) v = static_cast<int32_t>(v);
      return;
    case DType::u8:
      for (auto& v : t.whole) v = static_cast<uint8_t>(v);
      return;
    case DType::pred:
      for (auto& v : t.whole) v = v != 0;
      return;
    case DType::i64:
    case DType::u64:
      return;
  }
}

namespace {
template <class Raw, class Source, class Convert>
void store_as(const std::vector<Source>& from, void* to, Convert convert) {
  auto* p = static_cast<Raw*>(to);
  for (size_t i = 0; i < from.size(); ++i) p[i] = convert(from[i]);
}
template <class Raw, class Target, class Convert>
void load_as(std::vector<Target>& to, const void* from, Convert convert) {
  const auto* p = static_cast<const Raw*>(from);
  for (size_t i = 0; i < to.size(); ++i) to[i] = convert(p[i]);
}
}  // namespace

void store(const Tensor& t, void* to) {
  switch (t.type.dtype) {
    case DType::f64:
      return store_as<double>(t.real, to, [](double v) { return v; });
    case DType::f32:
      return store_as<float>(t.real, to, [](double v) { return static_cast<float>(v); });
    case DType::f16:
      return store_as<uint16_t>(t.real, to, [](double v) { return f32_to_f16(static_cast<float>(v)); });
    case DType::bf16:
      return store_as<uint16_t>(t.real, to, [](double v) { return f32_to_bf16(static_cast<float>(v)); });
    case DType::i32:
      return store_as<int32_t>(t.whole, to, [](int64_t v) { return static_cast<int32_t>(v); });
    case DType::u8:
    case DType::pred:
      return store_as<uint8_t>(t.whole, to, [](int64_t v) { return static_cast<uint8_t>(v); });
    case DType::i64:
    case DType::u64:
      return store_as<int64_t>(t.whole, to, [](int64_t v) { return v; });
  }
}

void load(Tensor& t, const void* from) {
  switch (t.type.dtype) {
    case DType::f64:
      return load_as<double>(t.real, from, [](double v) { return v; });
    case DType::f32:
      return load_as<float>(t.real, from, [](float v) { return static_cast<double>(v); });
    case DType::f16:
      return load_as<uint16_t>(t.real, from, [](uint16_t v) { return static_cast<double>(f16_to_f32(v)); });
    case DType::bf16:
      return load_as<uint16_t>(t.real, from, [](uint16_t v) { return static_cast<double>(bf16_to_f32(v)); });
    case DType::i32:
      return load_as<int32_t>(t.whole, from, [](int32_t v) { return static_cast<int64_t>(v); });
    case DType::u8:
    case DType::pred:
      return load_as<uint8_t>(t.whole, from, [](uint8_t v) { return static_cast<int64_t>(v); });
    case DType::i64:
    case DType::u64:
      return load_as<int64_t>(t.whole, from, [](int64_t v) { return v; });
  }
}

}  // namespace lockstep
