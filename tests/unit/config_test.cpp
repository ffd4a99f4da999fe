#include "lockstep/config/settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/unit/formats_support.h"

namespace lockstep {
namespace {

using std::string;
namespace fs = std::filesystem;

const string some_model = "[model]\nname = \"resnet8\"\n";

/// The message of the error that reading gives, or "" when there is none.
string message_of(const string& text, const std::vector<string>& overrides = {}) {
  try {
    parse_settings(text, "run.toml", overrides);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::user);
    return e.what();
  }
  return "";
}

void expect_pieces(const string& message, const std::vector<string>& pieces, const string& of) {
  EXPECT_NE(message, "") << "accepted: " << of;
  for (const auto& piece : pieces)
    EXPECT_NE(message.find(piece), string::npos) << "no '" << piece << "' in\n" << message << "\nof\n" << of;
}

struct BadText {
  const char* below_model;  ///< stands from line 3 on, below [model] with a name
  std::vector<string> pieces;
};

const std::vector<BadText> bad_texts{
    // types
    {"[train]\nbatch = \"128\"",
     {"train.batch has the wrong type", "run.toml:4: train.batch", "\"128\" (string)", "an integer",
      "samples per step"}},
    {"[train]\nbatch = 1.5", {"run.toml:4", "1.5 (float)", "an integer"}},
    {"[train]\nbatch = true", {"run.toml:4", "true (boolean)", "an integer"}},
    {"[train]\nepochs = \"3\"", {"train.epochs", "\"3\" (string)", "a number"}},
    {"[data]\nflip = 1", {"data.flip", "1 (integer)", "true or false"}},
    {"[data]\nfolder = 7", {"data.folder", "7 (integer)", "a string"}},
    {"[data]\nmean = 0.5", {"data.mean", "0.5 (float)", "an array, each item a number"}},
    {"[data]\nmean = [0.5, \"x\"]", {"data.mean", "[0.5, \"x\"] (array)", "an array, each item a number"}},
    {"[target]\nforce = \"conv\"", {"target.force", "\"conv\" (string)", "an array, each item a string"}},
    {"[data]\nfolder = 2024-01-31", {"data.folder", "date or time", "a string"}},
    {"[train]\n[train.batch]\nx = 1", {"train.batch", "{...} (table)", "an integer"}},
    {"[train]\nremainder = \"dropp\"",
     {"unknown choice 'dropp'", "did you mean 'drop'?", "run.toml:4: train.remainder",
      "\"drop\" | \"next_epoch\""}},
    {"[train]\nremainder = 1", {"train.remainder", "1 (integer)", "\"drop\" | \"next_epoch\""}},
    // names
    {"[trian]\nbatch = 1",
     {"unknown table [trian]", "did you mean 'train'?", "run.toml:3: [trian]", "checkpoint"}},
    {"[train]\nbatchsize = 1",
     {"unknown key 'batchsize' in [train]", "run.toml:4: train.batchsize", "batch | epochs"}},
    {"[train]\nbatc = 1", {"unknown key 'batc'", "did you mean 'batch'?"}},
    {"[train]\nmomentum = 0.9",
     {"unknown key 'momentum' in [train]", "'momentum' belongs under [optimizer]"}},
    {"hidden = [3]", {"unknown key 'hidden' in [model] of resnet", "run.toml:3: model.hidden", "width"}},
    {"[optimizer]\nname = \"sdg\"",
     {"unknown optimizer 'sdg'", "did you mean 'sgd'?", "run.toml:4: optimizer.name"}},
    {"[optimizer]\nname = 1", {"optimizer.name has the wrong type", "1 (integer)"}},
    {"[schedule]\nname = \"cosin\"", {"unknown schedule 'cosin'", "did you mean 'cosine'?", "one_cycle"}},
    {"[schedule]\nname = \"cosine\"\nmilestones = [1]",
     {"unknown key 'milestones' in [schedule] of cosine", "run.toml:5"}},
    {"[target]\nname = \"gpu\"", {"target.name", "run.toml:4", "gpu"}},
    // form
    {"[train]\nremainder = drop",
     {"not valid TOML", "run.toml:4:", "strings stand in quotes: remainder = \"drop\""}},
    {"[train]\nbatch = ", {"not valid TOML", "run.toml:4:"}},
    {"[train]\nbatch = 1\nbatch = 2", {"not valid TOML", "run.toml:5:"}},
    {"[train", {"not valid TOML", "run.toml:3:"}},
    {"[[train]]\nbatch = 1", {"'train' stands outside of any table"}},
    // ranges
    {"[train]\nbatch = 0",
     {"train.batch is out of range", "run.toml:4: train.batch", "got:   0", "1 to 1000000"}},
    {"[train]\nepochs = 0", {"train.epochs is out of range", "above 0"}},
    {"[train]\nepochs = inf", {"train.epochs is out of range", "inf", "a finite number"}},
    {"[train]\nseed = -1", {"train.seed is out of range", "-1", "0 or more"}},
    {"[train]\nsteps_per_call = 10001", {"train.steps_per_call", "1 to 10000"}},
    {"[train]\nlabel_smoothing = 1", {"train.label_smoothing", "from 0 to below 1"}},
    {"[train]\nloss_scale = -2", {"train.loss_scale", "above 0"}},
    {"[data]\nworkers = 65", {"data.workers", "1 to 64"}},
    {"[data]\nring_slots = 1", {"data.ring_slots", "2 to 1024"}},
    {"[data]\nmean = [0.5, 0.5]", {"data.deviation", "[0.5]", "as many numbers as data.mean"}},
    {"[data]\nmean = [nan]", {"data.mean", "nan", "a finite number"}},
    {"[data]\ndeviation = [0.0]", {"data.deviation", "run.toml:4", "numbers above 0"}},
    {"[evaluate]\nuntil = 92", {"evaluate.until", "92", "an accuracy from 0 to 1"}},
    {"[checkpoint]\nkeep = 0", {"checkpoint.keep", "1 to"}},
    {"[target]\nthreads = -1", {"target.threads", "0 to 1024"}},
    {"[target]\nin_double = true", {"target.in_double", "unless target.name = \"ref\""}},
    {"[optimizer]\nmomentum = 2", {"optimizer.momentum", "0 to 1"}},
    {"[schedule]\nrate = -0.1", {"run.toml:4: schedule.rate", "-0.1", "0 or more"}},
    {"width = 0", {"width must be at least 1", "run.toml:1: [model]"}},
    {"dropout = 1.0", {"resnet: dropout is out of range", "run.toml:1: [model]"}},
};

TEST(Config, BadTextsNamePlaceGotAndWant) {
  ASSERT_GE(bad_texts.size(), 25u);
  for (const auto& bad : bad_texts) {
    auto text = some_model + bad.below_model;
    expect_pieces(message_of(text), bad.pieces, text);
  }
}

TEST(Config, BadModels) {
  expect_pieces(message_of(""), {"no [model] table", "run.toml"}, "nothing");
  expect_pieces(message_of("# only a comment\n"), {"no [model] table"}, "a comment");
  expect_pieces(message_of("[train]\nbatch = 1"), {"no [model] table"}, "no model");
  expect_pieces(message_of("[model]\n"), {"model.name is missing", "run.toml:1: [model]"}, "no name");
  expect_pieces(message_of("[model]\nname = \"resnet81\""),
                {"unknown model 'resnet81'", "run.toml:2: model.name", "did you mean 'resnet8'?"},
                "wrong name");
  expect_pieces(message_of("[model]\nname = 18"),
                {"model.name has the wrong type", "18 (integer)", "a string"}, "number for a name");
  expect_pieces(message_of("batch = 1\n" + some_model),
                {"'batch' stands outside of any table", "run.toml:1: batch"}, "a loose key");
}

TEST(Config, BadOverridesNameThemselves) {
  const std::vector<std::pair<string, std::vector<string>>> cases{
      {"train.batch", {"an override without '='", "--set train.batch", "train.batch=64"}},
      {"batch=3", {"must name a table and a key", "--set batch=3"}},
      {"train.batch.x=3", {"must name a table and a key"}},
      {".batch=3", {"must name a table and a key"}},
      {"trian.batch=3", {"unknown table [trian]", "did you mean 'train'?", "--set trian.batch=3"}},
      {"train.bach=3", {"unknown key 'bach'", "did you mean 'batch'?", "--set train.bach=3"}},
      {"train.batch=many",
       {"train.batch has the wrong type", "where: --set train.batch=many", "\"many\" (string)",
        "an integer"}},
      {"train.batch=", {"\"\" (string)", "an integer"}},
      {"train.batch=1\n[data]\npad=1", {"train.batch has the wrong type"}},
      {"train.batch=0", {"train.batch is out of range", "where: --set train.batch=0"}},
      {"data.mean=[0.5", {"\"[0.5\" (string)", "an array"}},
      {"data.folder=\xff", {"not text in UTF-8", "--set data.folder="}},
      {"model.name=resnet9", {"unknown model 'resnet9'", "--set model.name=resnet9"}},
  };
  for (const auto& [text, pieces] : cases) expect_pieces(message_of(some_model, {text}), pieces, text);
}

TEST(Config, NameGivesTheModelAndKeysChangeIt) {
  auto s = parse_settings("[model]\nname = \"resnet20\"\nwidth = 32\n", "run.toml", {});
  const auto& net = std::get<Resnet>(s.model);
  EXPECT_EQ(s.model_name, "resnet20");
  EXPECT_EQ(net.blocks, (std::vector<int64_t>{3, 3, 3}));
  EXPECT_EQ(net.width, 32);
  auto mlp = parse_settings("[model]\nname = \"mlp\"\nhidden = [8, 4]\n", "run.toml", {});
  EXPECT_EQ(std::get<Mlp>(mlp.model).hidden, (std::vector<int64_t>{8, 4}));
}

TEST(Config, VariantsAreChosenByName) {
  auto s = parse_settings(
      some_model +
          "[schedule]\nname = \"step\"\nmilestones = [3, 5]\nrate = 1\n[optimizer]\nnesterov = true\n",
      "run.toml", {});
  EXPECT_EQ(std::get<StepDecay>(s.schedule).milestones, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(std::get<StepDecay>(s.schedule).rate, 1.0);
  EXPECT_TRUE(std::get<SgdOptimizer>(s.optimizer).nesterov);
}

TEST(Config, LaterOverridesWin) {
  auto text = some_model + "[train]\nbatch = 3\nepochs = 2\n";
  auto s = parse_settings(text, "run.toml",
                          {"train.batch=4", "train.batch = 5", "data.folder=a/b c", "model.width=24",
                           "train.remainder=next_epoch"});
  EXPECT_EQ(s.train.batch, 5);
  EXPECT_EQ(s.train.epochs, 2);
  EXPECT_EQ(s.data.folder, "a/b c");
  EXPECT_EQ(std::get<Resnet>(s.model).width, 24);
  EXPECT_EQ(s.train.remainder, Remainder::next_epoch);
  EXPECT_EQ(parse_settings(text, "run.toml", {}).train.batch, 3);
  EXPECT_EQ(parse_settings(some_model, "run.toml", {}).train.batch, TrainSettings{}.batch);
  // A name that is overridden keeps the keys of the file.
  EXPECT_EQ(
      std::get<Resnet>(parse_settings(some_model + "width = 5", "run.toml", {"model.name=resnet20"}).model)
          .width,
      5);
  EXPECT_EQ(parse_settings("", "run.toml", {"model.name=mlp"}).model_name, "mlp");
}

TEST(Config, TextOverridesCarryAnyText) {
  for (const string text : {"123", "true", "a \"b\" \\ c", "x\ny", "2024-01-31", "", "#", "\xc3\xa9"}) {
    auto full = "f" + text;
    EXPECT_EQ(parse_settings(some_model, "run.toml", {text_override("data.folder", full)}).data.folder, full);
    if (!text.empty()) {
      EXPECT_EQ(parse_settings(some_model, "run.toml", {text_override("data.folder", text)}).data.folder,
                text);
    }
  }
}

TEST(Config, TextReadsBackEqual) {
  std::vector<Settings> all;
  for (const auto& m : named_models())
    all.push_back(parse_settings("[model]\nname = \"" + m.name + "\"\n", "run.toml", {}));
  for (const auto& i : all_schedules())
    all.push_back(parse_settings(some_model, "run.toml", {"schedule.name=" + string(i.name)}));
  Settings odd = all[0];
  odd.data.folder = "a \"quoted\" \\ folder\twith\x01 odd \xe2\x82\xac letters";
  odd.data.mean = {0.1, 1e-300, -0.0, 12345678901234567.0};
  odd.data.deviation = {1.0 / 3, 1, 1, 5e-324};
  odd.train.epochs = 0.1 + 0.2;
  odd.train.seed = INT64_MAX;
  odd.target.force = {"a,b", "c]"};
  odd.target.name = "ref";
  odd.target.in_double = true;
  all.push_back(odd);
  for (const auto& s : all) {
    auto text = settings_text(s);
    auto back = parse_settings(text, "text", {});
    EXPECT_EQ(settings_text(back), text);
    EXPECT_EQ(back.model_name, s.model_name);
    EXPECT_TRUE(back == s) << text;
  }
  auto back = parse_settings(settings_text(odd), "text", {});
  EXPECT_EQ(back.data.mean, odd.data.mean);
  EXPECT_TRUE(std::signbit(back.data.mean[2]));
  EXPECT_EQ(back.data.deviation, odd.data.deviation);
  EXPECT_EQ(back.data.folder, odd.data.folder);
  EXPECT_EQ(back.train.seed, INT64_MAX);
}

TEST(Config, TextHasEveryKeyInShortForm) {
  auto text = settings_text(parse_settings(some_model, "run.toml", {"train.epochs=0.1"}));
  for (const char* line : {"[model]\nname = \"resnet8\"\n", "epochs = 0.1\n", "batch = 128\n",
                           "blocks = [1, 1, 1]\n", "norm_eps = 1e-05\n", "flip = false\n",
                           "[optimizer]\nname = \"sgd\"\n", "remainder = \"drop\"\n", "force = []\n"})
    EXPECT_NE(text.find(line), string::npos) << line << "\n" << text;
}

TEST(Config, LoadsFilesAndModels) {
  TempFolder folder;
  auto path = folder.write("a.toml", some_model + "[train]\nbatch = 7\n");
  EXPECT_EQ(load_settings(path, {"train.seed=9"}).train.batch, 7);
  EXPECT_EQ(load_settings(path, {"train.seed=9"}).train.seed, 9);
  EXPECT_EQ(std::get<Resnet>(load_settings("resnet18", {}).model).stem, ResnetStem::imagenet);
}

TEST(Config, SaysWhatIsWrongWithAPath) {
  TempFolder folder;
  auto message = [&](const string& path) -> string {
    try {
      load_settings(path, {});
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::user);
      return e.what();
    }
    return "";
  };
  auto expect = [&](const string& path, std::vector<string> pieces) {
    expect_pieces(message(path), pieces, path);
  };
  fs::create_directories(folder / "configs/desk");
  folder.write("configs/desk/resnet.toml", some_model);
  expect((folder / "configs").string(),
         {"a folder, not a config file", (folder / "configs").string(), "resnet.toml"});
  expect(folder.write("empty.toml", ""), {"no [model] table", "empty.toml"});
  expect(folder.write("blank.toml", "\n \n"), {"no [model] table", "blank.toml"});
  expect(folder.write("weights.toml", string("\x08\0\0\0{}", 6)),
         {"a binary file", "weights.toml", "byte 0x00 at offset 1"});
  expect(folder.write("latin.toml", "[model]\nname = \"caf\xe9\"\n"), {"not valid TOML", "latin.toml:2"});
  expect(folder.write("long.toml", string((1 << 20) + 1, '#')), {"too large", "1048577 bytes"});
  expect("/dev/null", {"not a regular file"});
  expect("resnet88", {"no config file and no model 'resnet88'", "did you mean 'resnet8'?", "resnet50"});
  // Configs near the place where the command runs are offered too.
  auto old = fs::current_path();
  fs::current_path(folder / "");
  expect("configs/desk/resnt.toml", {"did you mean 'configs/desk/resnet.toml'?"});
  expect("resnt.toml", {"did you mean 'configs/desk/resnet.toml'?"});
  fs::current_path(old);
}

}  // namespace
}  // namespace lockstep
