// Built-in models have the parameters of torchvision's, by name, shape and number.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lockstep/models/all.h"

namespace lockstep {
namespace {

struct Parameters {
  std::map<std::string, Shape> shapes;
  int64_t count = 0;
  std::set<std::string> statistics;
};

Parameters parameters_of(const NamedModel& named, Mode mode, int64_t batch = 2) {
  Graph graph(named.name);
  Layers layers(graph, mode, norm_options_of(named.model));
  Shape image{batch};
  image.insert(image.end(), named.image.shape.begin(), named.image.shape.end());
  auto logits = logits_of(named.model, layers, graph.stream("image", {DType::f32, image}), named.classes);
  EXPECT_EQ(logits.type(), (Type{DType::f32, {batch, named.classes}}));
  Parameters result;
  for (auto v : layers.parameters()) {
    result.shapes[graph.source_of(v.id)->name] = v.shape();
    result.count += v.type().elements();
  }
  for (const auto& s : graph.sources())
    if (s.kind == SourceKind::variable && !s.variable.trainable) result.statistics.insert(s.name);
  return result;
}

// Names, shapes and counts: torchvision.models.resnet50().named_parameters().
TEST(Models, Resnet50IsTorchvisions) {
  auto p = parameters_of(model_named("resnet50"), Mode::train);
  EXPECT_EQ(p.shapes.size(), 161u);
  EXPECT_EQ(p.count, 25557032);
  EXPECT_EQ(p.statistics.size(), 2u * 53u);
  const std::map<std::string, Shape> some{{"conv1.weight", {64, 3, 7, 7}},
                                          {"bn1.weight", {64}},
                                          {"bn1.bias", {64}},
                                          {"layer1.0.conv1.weight", {64, 64, 1, 1}},
                                          {"layer1.0.conv2.weight", {64, 64, 3, 3}},
                                          {"layer1.0.conv3.weight", {256, 64, 1, 1}},
                                          {"layer1.0.downsample.0.weight", {256, 64, 1, 1}},
                                          {"layer1.0.downsample.1.bias", {256}},
                                          {"layer2.0.conv1.weight", {128, 256, 1, 1}},
                                          {"layer2.0.downsample.0.weight", {512, 256, 1, 1}},
                                          {"layer3.5.bn2.weight", {256}},
                                          {"layer4.2.conv3.weight", {2048, 512, 1, 1}},
                                          {"layer4.2.bn3.bias", {2048}},
                                          {"fc.weight", {1000, 2048}},
                                          {"fc.bias", {1000}}};
  for (const auto& [name, shape] : some) {
    ASSERT_TRUE(p.shapes.contains(name)) << name;
    EXPECT_EQ(p.shapes[name], shape) << name;
  }
  EXPECT_FALSE(p.shapes.contains("layer1.1.downsample.0.weight"));
  EXPECT_FALSE(p.shapes.contains("layer4.3.conv1.weight"));
  EXPECT_TRUE(p.statistics.contains("layer1.0.downsample.1.running_mean"));
  EXPECT_TRUE(p.statistics.contains("bn1.running_var"));
}

TEST(Models, OtherResnetsHaveTorchvisionsCounts) {
  const std::map<std::string, std::pair<size_t, int64_t>> known{{"resnet18", {62, 11689512}},
                                                                {"resnet34", {110, 21797672}},
                                                                {"resnet101", {314, 44549160}},
                                                                {"resnet152", {467, 60192808}}};
  for (const auto& [name, tensors_and_count] : known) {
    auto p = parameters_of(model_named(name), Mode::infer);
    EXPECT_EQ(p.shapes.size(), tensors_and_count.first) << name;
    EXPECT_EQ(p.count, tensors_and_count.second) << name;
  }
}

TEST(Models, TrainAndInferMakeTheSameVariables) {
  for (const auto& named : named_models()) {
    if (named.name == "resnet101" || named.name == "resnet152") continue;
    auto train = parameters_of(named, Mode::train), infer = parameters_of(named, Mode::infer);
    EXPECT_EQ(train.shapes, infer.shapes) << named.name;
    EXPECT_EQ(train.statistics, infer.statistics) << named.name;
  }
}

TEST(Models, UnknownNameGetsASuggestion) {
  try {
    model_named("resnet5O");
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user);
    EXPECT_NE(std::string(e.what()).find("unknown model 'resnet5O' (did you mean 'resnet50'?)"),
              std::string::npos)
        << e.what();
  }
}

template <class M>
std::string complaint(const M& model) {
  try {
    model.check();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user) << e.what();
    return e.what();
  }
  return "none";
}

TEST(Models, ChecksNameTheField) {
  auto resnet = [](auto change) {
    Resnet net;
    change(net);
    return complaint(net);
  };
  EXPECT_EQ(resnet([](Resnet&) {}), "none");
  const std::map<std::string, std::string> texts{
      {"width must be at least 1", resnet([](Resnet& n) { n.width = 0; })},
      {"width is too large", resnet([](Resnet& n) { n.width = int64_t{1} << 40; })},
      {"groups must be at least 1", resnet([](Resnet& n) { n.groups = -1; })},
      {"number of stages in blocks must be at least 1", resnet([](Resnet& n) { n.blocks = {}; })},
      {"blocks must be at least 1", resnet([](Resnet& n) {
         n.blocks = {1, 0};
       })},
      {"blocks has too many stages", resnet([](Resnet& n) { n.blocks.assign(70, 1); })},
      {"groups need block = \"bottleneck\"", resnet([](Resnet& n) { n.groups = 2; })},
      {"dropout is out of range", resnet([](Resnet& n) { n.dropout = 1; })},
      {"norm_momentum is out of range", resnet([](Resnet& n) { n.norm_momentum = 1.5; })},
      {"norm_eps is out of range", resnet([](Resnet& n) { n.norm_eps = -1; })},
      {"mlp: hidden must be at least 1", complaint(Mlp{{16, 0}})},
      {"mlp: dropout is out of range", complaint(Mlp{{16}, -0.5})},
  };
  for (const auto& [want, got] : texts)
    EXPECT_NE(got.find(want), std::string::npos) << "want " << want << "\ngot " << got;
}

}  // namespace
}  // namespace lockstep
