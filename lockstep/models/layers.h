// What models are written with: ops plus the variables a layer owns, named after the layer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/ops/conv.h"

namespace lockstep {

enum class Mode { train, infer };

/// How batch norm keeps its running statistics. torch: variance made unbiased by n/(n-1); tensorflow: biased,
/// as in ONNX and in MLPerf's reference. `momentum` is in both the share of the new value (torch 0.1 =
/// TensorFlow decay 0.9).
enum class NormConvention { torch, tensorflow };
inline std::vector<std::string_view> names_of(NormConvention) { return {"torch", "tensorflow"}; }

struct NormOptions {
  NormConvention convention = NormConvention::torch;
  double momentum = 0.1;
  double eps = 1e-5;
};

/// Starting values of convolution and dense weights.
enum class WeightInit { he_normal, he_fan_out, glorot_uniform, torch_linear, normal_001 };
inline std::vector<std::string_view> names_of(WeightInit) {
  return {"he_normal", "he_fan_out", "glorot_uniform", "torch_linear", "normal_001"};
}

/// The graph under construction and what all layers share. One Layers object builds one program's graph.
class Layers {
 public:
  /// `seed` u64[], `step` i64[] and `sample_key` u64[batch] feed dropout; they may be empty in Mode::infer.
  Layers(Graph& graph, Mode mode, NormOptions norm) : graph_(graph), mode_(mode), norm_(norm) {}
  void set_randomness(Value seed, Value step, Value sample_key);

  Graph& graph() { return graph_; }
  Mode mode() const { return mode_; }
  [[nodiscard]] Graph::Scope scope(std::string_view name) { return graph_.scope(name); }

  /// x (N, C, H, W) -> (N, channels, H', W'); no bias; makes "<scope>.<name>.weight".
  Value conv2d(Value x, std::string_view name, int64_t channels, int64_t kernel, ConvAttrs attrs,
               WeightInit init, Site site = {});
  /// Over axis 1; makes weight, bias, running_mean, running_var. `scale_init`: 1, or 0 for "zero gamma".
  Value batch_norm2d(Value x, std::string_view name, double scale_init = 1, Site site = {});
  /// x (N, C) -> (N, features); makes weight (features, C) and bias.
  Value linear(Value x, std::string_view name, int64_t features, WeightInit init, Site site = {});
  /// Identity in Mode::infer or at rate 0.
  Value drop(Value x, std::string_view name, double rate, Site site = {});
  /// (N, ...) -> (N, rest).
  Value flatten(Value x, Site site = {});
  Value global_average_pool(Value x, Site site = {});  ///< (N, C, H, W) -> (N, C)

  /// Trainable variables in order of making.
  const Values& parameters() const { return parameters_; }
  /// Appends the updates of the running statistics, each kept as it was when `apply` is false.
  void update_statistics(Value apply);

 private:
  Value parameter(std::string_view name, Shape shape, Role role, Init init, double scale);
  Value weight(Shape shape, WeightInit init);
  struct Statistic {
    Value running, batch;
    int64_t unbiased_count;
  };
  Graph& graph_;
  Mode mode_;
  NormOptions norm_;
  Values parameters_;
  std::vector<Statistic> statistics_;
  Value seed_, step_, sample_key_;
  uint64_t next_use_ = 1;
};

}  // namespace lockstep
