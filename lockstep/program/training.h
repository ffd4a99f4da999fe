// From a model to the graphs of its programs: train and eval.
#pragma once

#include "lockstep/ir/graph.h"
#include "lockstep/models/all.h"
#include "lockstep/optim/optimizer.h"
#include "lockstep/program/bundle.h"

namespace lockstep {

/// Everything that defines the training step of an image classifier.
struct Task {
  std::string name = "task";
  Model model;
  int64_t batch = 32;  ///< rows of a micro-batch
  Type image;          ///< sample: (channels, height, width), u8 or f32
  int64_t classes = 10;
  std::vector<float> mean, deviation;  ///< per channel, of u8 / 255; empty: f32 images come normalised
  float label_smoothing = 0;
  Optimizer optimizer;
  std::vector<float> rates;  ///< learning rate by step
  double loss_scale = 1;     ///< the gradient is computed of loss * loss_scale and divided again; 1: neither
};

/// Outputs per step: loss f32[] (mean over the rows with mask 1), correct f32[] and samples f32[] (sums over
/// them), rate f32[], finite pred[]. A step whose loss or gradients are not finite changes no variable but
/// `attempt`. Variables besides the model's: step, attempt i64[], seed u64[], loss_scale f32[], finite
/// pred[].
Graph training_graph(const Task& task);
/// Outputs per step: loss_sum, correct, correct5, samples f32[]: sums over the rows with mask 1.
Graph evaluation_graph(const Task& task);

}  // namespace lockstep
