// A tiny run: a data set in a folder of its own, and an executable that needs no kernels.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/run/engine.h"
#include "tests/unit/formats_support.h"

namespace lockstep {

struct FakeCall {
  std::string program;
  int64_t first, count;
  bool operator==(const FakeCall&) const = default;
};

/// What a test tells the executable, and sees of it.
struct FakeTarget {
  std::vector<FakeCall> calls;
  std::function<double(int64_t step)> accuracy = [](int64_t) { return 0.5; };
  std::function<void(const FakeCall&)> before_call;
  int64_t non_finite_at = -1, fault_at = -1;  ///< iteration
  bool loses_a_sample = false;
};

/// "Trains" by folding the bytes of each batch into the weights, so that its variables tell which batches it
/// saw in which order. Its evaluation reads the masks.
class FakeExecutable final : public Executable {
 public:
  FakeExecutable(Bundle bundle, std::shared_ptr<FakeTarget> target)
      : bundle_(std::move(bundle)), target_(std::move(target)), sources_(bundle_.programs.size()) {
    for (const auto& v : bundle_.variables) variables_.emplace_back(static_cast<size_t>(v.type.bytes()));
    for (const auto& p : bundle_.programs)
      for (const auto& o : p.outputs)
        outputs_[p.name + "." + o.name].assign(static_cast<size_t>(o.slots), 0.0f);
    memory_.arena_bytes = 12345;
  }

  const Bundle& bundle() const override { return bundle_; }
  const MemoryPlan& memory() const override { return memory_; }
  std::vector<Choice> choices() const override { return {}; }
  std::string plan_text() const override { return "fake"; }
  void read_variable(int v, void* bytes) const override { std::memcpy(bytes, at(v).data(), at(v).size()); }
  void write_variable(int v, const void* bytes) override {
    std::memcpy(variables_[static_cast<size_t>(v)].data(), bytes, at(v).size());
  }
  void connect(int program, StreamSource* source) override {
    sources_[static_cast<size_t>(program)] = source;
  }

  RunResult run(int program, int64_t first, int64_t count) noexcept override {
    const auto& p = bundle_.programs[static_cast<size_t>(program)];
    FakeCall call{p.name, first, count};
    if (target_->before_call) target_->before_call(call);
    target_->calls.push_back(call);
    for (int64_t i = first; i < first + count; ++i) {
      if (!sources_[static_cast<size_t>(program)]->wait_full(i)) return {false, i - first, true, {}};
      if (p.name == "train")
        train_step(p, program, i);
      else
        eval_step(p, program, i);
      sources_[static_cast<size_t>(program)]->release(i);
      if (stops_ && p.name == "train" && i == target_->non_finite_at) return {true, i - first + 1, false, {}};
      if (p.name == "train" && i == target_->fault_at)
        return {false, i - first + 1, false, "fc1 (matmul): no memory"};
    }
    return {true, count, false, {}};
  }

  const std::byte* output(int program, int port, int64_t iteration) const override {
    const auto& p = bundle_.programs[static_cast<size_t>(program)];
    const auto& o = p.outputs[static_cast<size_t>(port)];
    return reinterpret_cast<const std::byte*>(
        &outputs_.at(p.name + "." + o.name)[static_cast<size_t>(iteration % o.slots)]);
  }

  void stop_on(int program, int port) override {
    const auto& p = bundle_.programs[static_cast<size_t>(program)];
    stops_ = port >= 0 && p.outputs[static_cast<size_t>(port)].name == "finite";
  }

  std::string find_non_finite(int program, int64_t iteration) override {
    const auto& p = bundle_.programs[static_cast<size_t>(program)];
    const auto* mask = stream<float>(p, program, "mask", iteration);
    return mask[0] == 1 ? "fc1 (matmul)" : "no batch came";
  }

 private:
  const std::vector<std::byte>& at(int v) const { return variables_[static_cast<size_t>(v)]; }

  template <class T>
  const T* stream(const Program& p, int program, const char* name, int64_t b) {
    int s = p.find_stream(name);
    auto* source = sources_[static_cast<size_t>(program)];
    return reinterpret_cast<const T*>(source->base(s) +
                                      b % p.streams[static_cast<size_t>(s)].slots * source->slot_bytes(s));
  }

  void set(const Program& p, const char* name, int64_t i, float value) {
    auto& slots = outputs_[p.name + "." + name];
    slots[static_cast<size_t>(i) % slots.size()] = value;
  }

  void train_step(const Program& p, int program, int64_t i) {
    bool finite = i != target_->non_finite_at;
    const auto& image = p.streams[static_cast<size_t>(p.find_stream("image"))].type;
    const auto* pixels = stream<uint8_t>(p, program, "image", i);
    uint32_t sum = 1;
    for (int64_t k = 0; k < image.bytes(); ++k) sum = sum * 31 + pixels[k];
    if (finite) fold(sum);
    set(p, "loss", i, finite ? 1.0f / static_cast<float>(i + 1) : NAN);
    set(p, "correct", i, static_cast<float>(image.shape[0]) / 2);
    set(p, "samples", i, static_cast<float>(image.shape[0]));
    set(p, "rate", i, 0.25f);
    float flag = 0;
    if (finite) std::memset(&flag, 1, 1);
    set(p, "finite", i, flag);
  }

  void fold(uint32_t sum) {
    for (size_t v = 0; v < variables_.size(); ++v) {
      const auto& decl = bundle_.variables[v];
      if (decl.name == "step") {
        int64_t step;
        std::memcpy(&step, variables_[v].data(), 8);
        ++step;
        std::memcpy(variables_[v].data(), &step, 8);
      }
      if (decl.type.dtype != DType::f32) continue;
      auto* w = reinterpret_cast<float*>(variables_[v].data());
      for (int64_t k = 0; k < decl.type.elements(); ++k)
        w[k] = 0.5f * w[k] + static_cast<float>(sum % 1000) / 1000;
    }
  }

  void eval_step(const Program& p, int program, int64_t i) {
    int64_t batch = p.streams[static_cast<size_t>(p.find_stream("mask"))].type.shape[0], step = 0;
    const auto* mask = stream<float>(p, program, "mask", i);
    float samples = 0;
    for (int64_t k = 0; k < batch; ++k) samples += mask[k];
    if (target_->loses_a_sample && i == 0) samples -= 1;
    if (int v = bundle_.find_variable("step"); v >= 0) std::memcpy(&step, at(v).data(), 8);
    set(p, "samples", i, samples);
    set(p, "loss_sum", i, samples * 2);
    set(p, "correct", i, samples * static_cast<float>(target_->accuracy(step)));
    set(p, "correct5", i, samples);
  }

  Bundle bundle_;
  std::shared_ptr<FakeTarget> target_;
  std::vector<StreamSource*> sources_;
  std::vector<std::vector<std::byte>> variables_;
  std::map<std::string, std::vector<float>> outputs_;
  MemoryPlan memory_;
  bool stops_ = false;
};

/// 4 x 4 images with ten labels.
inline void write_data(const TempFolder& folder, uint32_t train = 40, uint32_t test = 13) {
  auto pixels = [](uint32_t n, uint32_t salt) {
    std::string bytes;
    for (uint32_t i = 0; i < n * 16; ++i) bytes += static_cast<char>((i * 2654435761u + salt) >> 24);
    return bytes;
  };
  auto labels = [](uint32_t n) {
    std::string bytes;
    for (uint32_t i = 0; i < n; ++i) bytes += static_cast<char>(i % 10);
    return bytes;
  };
  folder.write("train-images-idx3-ubyte", idx_bytes({train, 4, 4}, pixels(train, 1)));
  folder.write("train-labels-idx1-ubyte", idx_bytes({train}, labels(train)));
  folder.write("t10k-images-idx3-ubyte", idx_bytes({test, 4, 4}, pixels(test, 2)));
  folder.write("t10k-labels-idx1-ubyte", idx_bytes({test}, labels(test)));
}

/// 15 steps: 3 epochs of 5, evaluated after each; calls of at most 3.
inline Settings tiny_settings(const TempFolder& data) {
  Settings settings;
  settings.model_name = "mlp";
  settings.model = Mlp{{4}, 0};
  settings.data.folder = (data / "").string();
  settings.train.batch = 8;
  settings.train.steps_per_call = 3;
  return settings;
}

inline Lower fake_lower(std::shared_ptr<FakeTarget> target) {
  return [target](Bundle bundle) { return std::make_unique<FakeExecutable>(std::move(bundle), target); };
}

}  // namespace lockstep
