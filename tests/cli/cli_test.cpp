// The real command, through a shell: what it prints, where, and with which exit code.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lockstep/ir/parse.h"
#include "lockstep/ir/print.h"
#include "lockstep/ops/all.h"
#include "lockstep/program/bundle.h"

namespace lockstep {
namespace {

using std::string;
namespace fs = std::filesystem;
using nlohmann::json;

struct Output {
  string out, err, command;
  int code = -1;
};

string quoted_for_shell(const string& word) {
  string quoted = "'";
  for (char c : word) quoted += c == '\'' ? string("'\\''") : string(1, c);
  return quoted + "'";
}

string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const char* command = std::getenv("LOCKSTEP_COMMAND");
    if (command == nullptr) GTEST_SKIP() << "set LOCKSTEP_COMMAND to the command's path";
    command_ = fs::absolute(command).string();
    string pattern = (fs::temp_directory_path() / "lockstep-cli-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  /// Runs `lockstep words...` in a folder of its own, after `before` of the shell ("X=1").
  Output run(const std::vector<string>& words, const string& before = "") {
    Output output;
    output.command = before.empty() ? command_ : before + " " + command_;
    for (const auto& word : words) output.command += " " + quoted_for_shell(word);
    string shell = "cd " + quoted_for_shell(folder_.string()) + " && " + output.command + " 2> stderr.txt";
    FILE* pipe = popen(shell.c_str(), "r");
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.out.append(buffer, n);
    int status = pclose(pipe);
    output.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    output.err = contents_of(folder_ / "stderr.txt");
    return output;
  }

  string write(const string& name, const string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return name;
  }

  /// A data set of random pixels, whose labels stand in the first row: small, and easy to learn.
  void write_data(int train, int test) {
    auto idx = [&](const string& name, int count, bool images) {
      auto number = [](uint32_t v) { return string{char(v >> 24), char(v >> 16), char(v >> 8), char(v)}; };
      string bytes =
          string("\0\0\x08", 3) + (images ? '\x03' : '\x01') + number(static_cast<uint32_t>(count));
      if (images) bytes += number(8) + number(8);
      for (int i = 0; i < count; ++i) {
        int label = (i * 7 + i / 10) % 10;
        if (!images)
          bytes += static_cast<char>(label);
        else
          for (int p = 0; p < 64; ++p)
            bytes += static_cast<char>(p / 4 == label ? 255 : (i * 31 + p * 17) % 64);
      }
      write("data/" + name, bytes);
    };
    for (bool images : {true, false}) {
      string kind = images ? "images-idx3-ubyte" : "labels-idx1-ubyte";
      idx("train-" + kind, train, images);
      idx("t10k-" + kind, test, images);
    }
  }

  fs::path folder_;
  string command_;
};

/// A failure prints the command that reproduces it.
#define EXPECT_CODE(output, wanted) \
  EXPECT_EQ((output).code, wanted) << (output).command << "\n" << (output).out << (output).err

void expect_in(const string& text, const std::vector<string>& pieces, const Output& output) {
  for (const auto& piece : pieces)
    EXPECT_NE(text.find(piece), string::npos) << "no '" << piece << "' in what this prints:\n"
                                              << output.command << "\n"
                                              << output.out << output.err;
}

void expect_user_error(const Output& output, const std::vector<string>& pieces) {
  EXPECT_CODE(output, 2);
  EXPECT_EQ(output.out, "") << output.command;
  EXPECT_EQ(output.err.rfind("lockstep: error: ", 0), 0u) << output.command << "\n" << output.err;
  expect_in(output.err, pieces, output);
}

const string tiny_config =
    "[model]\nname = \"mlp\"\nhidden = [16]\n[data]\nfolder = \"data\"\n[train]\nbatch = 10\nepochs = "
    "2\n[schedule]\nrate = 0.1\n";

TEST_F(Cli, HelpOfTheCommandAndOfEachVerb) {
  auto help = run({"--help"});
  EXPECT_CODE(help, 0);
  for (const char* verb : {"train", "eval", "show", "models"}) {
    expect_in(help.out, {verb}, help);
    auto own = run({verb, "--help"});
    EXPECT_CODE(own, 0);
    expect_in(own.out, {"--quiet", "--json", "--help"}, own);
    EXPECT_EQ(own.err, "") << own.command;
  }
  auto train = run({"train", "-h"});
  expect_in(train.out,
            {"CONFIG", "--set", "--threads", "--seed", "--out", "--max-steps", "--until", "--resume",
             "--data", "--target"},
            train);
}

TEST_F(Cli, Version) {
  auto version = run({"--version"});
  EXPECT_CODE(version, 0);
  EXPECT_EQ(version.out.rfind("lockstep ", 0), 0u) << version.command;
}

TEST_F(Cli, UnknownWords) {
  expect_user_error(run({}), {"no command", "train | eval | show | models"});
  expect_user_error(run({"trian"}), {"unknown command 'trian'", "did you mean 'train'?"});
  expect_user_error(run({"train", "mlp", "--thread", "2"}),
                    {"unknown option '--thread'", "did you mean '--threads'?"});
  expect_user_error(run({"train", "mlp", "--thread=2"}),
                    {"unknown option '--thread'", "did you mean '--threads'?"});
  expect_user_error(run({"train", "--sead", "2"}), {"unknown option '--sead'", "did you mean '--seed'?"});
  expect_user_error(run({"eval", "mlp", "--max-steps", "2"}),
                    {"unknown option '--max-steps'", "belongs behind lockstep train"});
  expect_user_error(run({"--quiet", "train", "mlp"}),
                    {"unknown option '--quiet'", "belongs behind lockstep train"});
  expect_user_error(run({"train", "mlp", "mlp"}), {"one argument too many: 'mlp'"});
  expect_user_error(run({"train"}), {"CONFIG is required"});
  expect_user_error(run({"eval", "mlp"}), {"--weights is required"});
  expect_user_error(run({"train", "mlp", "--out"}), {"--out"});
}

TEST_F(Cli, BadConfigs) {
  expect_user_error(run({"train", "resnet88"}),
                    {"no config file and no model 'resnet88'", "did you mean 'resnet8'?"});
  expect_user_error(run({"show", "nowhere/a.toml"}), {"no config file", "nowhere/a.toml"});
  expect_user_error(run({"train", "."}), {"a folder, not a config file"});
  expect_user_error(run({"train", write("empty.toml", "")}), {"no [model] table", "empty.toml"});
  expect_user_error(run({"train", write("weights.toml", string("\x01\0\0", 3))}), {"a binary file"});
  expect_user_error(run({"train", write("typo.toml", "[model]\nname = \"mlp\"\n[train]\nbach = 1\n")}),
                    {"unknown key 'bach'", "did you mean 'batch'?", "typo.toml:4: train.bach"});
  write("configs/desk/mine.toml", tiny_config);
  expect_user_error(run({"train", "configs/desk/mien.toml"}), {"did you mean 'configs/desk/mine.toml'?"});
}

TEST_F(Cli, BadValuesNameWhatWasTyped) {
  expect_user_error(run({"show", "mlp", "--set", "train.bach=1"}),
                    {"unknown key 'bach'", "where: --set train.bach=1"});
  expect_user_error(run({"show", "mlp", "--threads", "many"}),
                    {"target.threads has the wrong type", "where: --threads many", "an integer"});
  expect_user_error(run({"show", "mlp", "--threads", "-1"}), {"out of range", "where: --threads -1"});
  expect_user_error(run({"show", "mlp", "--seed=x"}), {"where: --seed x"});
  expect_user_error(run({"show", "mlp", "--target", "gpu"}), {"where: --target gpu", "cpu"});
  expect_user_error(run({"train", "mlp", "--until", "92"}), {"where: --until 92", "an accuracy from 0 to 1"});
  expect_user_error(run({"train", "mlp", "--max-steps", "ten"}), {"where: --max-steps ten"});
  expect_user_error(run({"show", "mlp", "--as", "grph"}),
                    {"unknown choice 'grph'", "did you mean 'graph'?", "graph | bundle | plan | memory"});
  expect_user_error(run({"show", "mlp", "--after", "simplfy"}),
                    {"unknown pass 'simplfy'", "did you mean 'simplify'?"});
  expect_user_error(run({"show", "mlp", "--after", "elide_copies"}), {"--as bundle"});
}

TEST_F(Cli, ErrorsAsJson) {
  auto output = run({"train", "resnet88", "--json"});
  EXPECT_CODE(output, 2);
  auto error = json::parse(output.out).at("error");
  for (const char* key : {"kind", "problem", "where", "got", "want", "hint"})
    EXPECT_TRUE(error.contains(key)) << key << " " << output.command;
  EXPECT_EQ(error["kind"], "user");
  expect_in(output.err, {"lockstep: error: no config file and no model"}, output);
  output = run({"trian", "--json"});
  EXPECT_EQ(json::parse(output.out).at("error").at("got"), "trian") << output.command;
}

TEST_F(Cli, Models) {
  auto table = run({"models"});
  EXPECT_CODE(table, 0);
  expect_in(table.out, {"resnet50", "25,557,032", "u8[3,224,224]", "mlp"}, table);
  auto output = run({"models", "--json"});
  EXPECT_CODE(output, 0);
  auto models = json::parse(output.out).at("models");
  ASSERT_GE(models.size(), 5u);
  for (const auto& m : models) EXPECT_GT(m.at("parameters").get<int64_t>(), 0) << m;
}

/// The first line is "// hash ...", and the rest reads back to it.
string hash_said(const string& text) { return text.substr(8, text.find('\n') - 8); }

TEST_F(Cli, ShownGraphsReadBack) {
  auto op = [](std::string_view name) -> const OpRow& { return op_named(name); };
  for (const auto& more :
       std::vector<std::vector<string>>{{}, {"--program", "eval"}, {"--after", "simplify"}}) {
    std::vector<string> words{"show",  "mlp",           "--as",  "graph",
                              "--set", "train.batch=2", "--set", "train.epochs=0.01"};
    words.insert(words.end(), more.begin(), more.end());
    auto output = run(words);
    EXPECT_CODE(output, 0);
    if (output.code == 0) {
      EXPECT_EQ(hash_of(parse_graph(output.out, op)), hash_said(output.out)) << output.command;
    }
  }
}

TEST_F(Cli, ShownBundlesReadBack) {
  auto op = [](std::string_view name) -> const OpRow& { return op_named(name); };
  std::vector<string> words{"show",  "resnet8",       "--as",  "bundle",
                            "--set", "train.batch=2", "--set", "train.epochs=0.01"};
  auto output = run(words);
  ASSERT_EQ(output.code, 0) << output.command << output.err;
  EXPECT_EQ(hash_of(parse_bundle(output.out, op)), hash_said(output.out)) << output.command;
  words.push_back("--json");
  auto object = json::parse(run(words).out);
  EXPECT_EQ(object.at("hash"), hash_said(output.out));
  EXPECT_EQ("// hash " + hash_said(output.out) + "\n" + object.at("text").get<string>(), output.out);
}

TEST_F(Cli, ShowsPlanAndMemory) {
  for (const char* target : {"cpu", "ref"}) {
    std::vector<string> words{"show", "mlp", "--target", target, "--set", "train.batch=2", "--as"};
    auto with = [&](std::vector<string> more) {
      auto all = words;
      all.insert(all.end(), more.begin(), more.end());
      return run(all);
    };
    auto plan = with({"plan"});
    EXPECT_CODE(plan, 0);
    EXPECT_GT(plan.out.size(), 100u) << plan.command;
    auto table = with({"memory"});
    EXPECT_CODE(table, 0);
    expect_in(table.out,
              {"variables", "arena", "tables", "outputs", "ring of train", "ring of eval", "code", "sum"},
              table);
    auto output = with({"memory", "--json"});
    EXPECT_CODE(output, 0);
    auto object = json::parse(output.out);
    int64_t sum = 0;
    for (const auto& line : object.at("lines")) sum += line.at("bytes").get<int64_t>();
    EXPECT_EQ(sum, object.at("sum_bytes").get<int64_t>()) << output.command;
  }
}

TEST_F(Cli, ShowsThePublishedSizeOfANamedModel) {
  auto output = run({"show", "resnet18", "--as", "graph", "--program", "eval", "--set", "train.batch=2"});
  EXPECT_CODE(output, 0);
  expect_in(output.out, {"u8[2,3,224,224]", "f32[1000,512]"}, output);
}

TEST_F(Cli, TrainsEvaluatesAndGoesOn) {
  write_data(100, 50);
  auto config = write("tiny.toml", tiny_config);
  auto half = run({"train", config, "--out", "run", "--max-steps", "5", "--json", "--quiet"});
  ASSERT_EQ(half.code, 0) << half.command << half.err;
  auto object = json::parse(half.out);
  for (const char* key : {"metric", "value", "target_reached", "seconds", "steps", "run_folder",
                          "images_per_second", "planned_bytes", "peak_rss_bytes", "preempted"})
    EXPECT_TRUE(object.contains(key)) << key << " " << half.command;
  EXPECT_EQ(object["steps"], 5);
  EXPECT_EQ(half.err, "") << half.command;

  auto rest = run({"train", config, "--out", "run"}, "NO_COLOR=1");
  EXPECT_CODE(rest, 0);
  expect_in(rest.out,
            {"parameters", "bundle", "planned", "100 images for training, 50 for testing, in data",
             "5 are done", "step 20/20", "test accuracy", "time to train", "images/s", "run            run"},
            rest);
  EXPECT_EQ(rest.out.find('\x1b'), string::npos) << rest.command;
  EXPECT_EQ(rest.out.find('\r'), string::npos) << rest.command;

  auto eval = run({"eval", config, "--weights", "run", "--json"});
  EXPECT_CODE(eval, 0);
  auto result = json::parse(eval.out);
  EXPECT_EQ(result.at("samples"), 50);
  for (const char* key : {"loss", "accuracy", "accuracy5"}) EXPECT_TRUE(result.contains(key)) << key;
  expect_user_error(run({"eval", config, "--weights", "nowhere"}), {"nowhere"});
}

TEST_F(Cli, QuietPrintsTheResultOnly) {
  write_data(40, 20);
  auto output = run({"train", write("tiny.toml", tiny_config), "--out", "run", "--quiet"});
  EXPECT_CODE(output, 0);
  EXPECT_EQ(output.out.rfind("test accuracy", 0), 0u) << output.command << "\n" << output.out;
  EXPECT_EQ(output.err, "") << output.command;
}

TEST_F(Cli, TargetNotReachedHasItsOwnCode) {
  write_data(40, 20);
  auto config = write("tiny.toml", tiny_config);
  auto output = run({"train", config, "--out", "run", "--until", "1", "--set", "schedule.rate=0", "--json"});
  EXPECT_CODE(output, 5);
  EXPECT_EQ(json::parse(output.out).at("target_reached"), false) << output.command;
}

TEST_F(Cli, StopsOnRequestAndSaysSo) {
  write_data(100, 50);
  auto config = write("tiny.toml", tiny_config);
  auto output = run({"train", config, "--out", "run", "--target", "ref", "--set", "train.epochs=20000",
                     "--set", "evaluate.every_epochs=0", "--json", "--quiet"},
                    "timeout --preserve-status --signal=TERM 3");
  EXPECT_CODE(output, 75);
  auto object = json::parse(output.out);
  EXPECT_EQ(object.at("preempted"), true) << output.command;
  EXPECT_TRUE(object.at("value").is_null()) << output.command;
}

TEST_F(Cli, MissingDataNameTheFile) {
  auto output = run({"train", write("tiny.toml", tiny_config), "--data", "nowhere", "--out", "run"});
  EXPECT_CODE(output, 2);
  expect_in(output.err, {"nowhere/train-images-idx3-ubyte"}, output);
}

/// Each kind of damaged data: the code for data, the file's name, what was found.
TEST_F(Cli, DamagedDataNameFileAndPlace) {
  auto config = write("tiny.toml", tiny_config);
  auto broken = [&](const string& file, const string& bytes, const std::vector<string>& pieces) {
    write_data(40, 10);
    write("data/" + file, bytes);
    auto output = run({"train", config, "--out", "run"});
    EXPECT_CODE(output, 4);
    expect_in(output.err, {file}, output);
    expect_in(output.err, pieces, output);
    EXPECT_FALSE(fs::exists(folder_ / "run" / "model.safetensors"));
  };
  write_data(40, 10);
  auto images = contents_of(folder_ / "data/train-images-idx3-ubyte");
  auto labels = contents_of(folder_ / "data/train-labels-idx1-ubyte");
  broken("train-images-idx3-ubyte", images.substr(0, images.size() - 57), {"byte"});
  broken("train-images-idx3-ubyte", "\xff\xd8\xff\xe0 a JPEG", {"not an IDX file"});
  broken("train-images-idx3-ubyte", "", {"empty"});
  auto wrong = labels;
  wrong[8 + 23] = 11;
  broken("train-labels-idx1-ubyte", wrong, {"11", "23", "out of range"});
}

/// Damaged checkpoints are refused or passed over, and the run that can go on does, to the same bits.
TEST_F(Cli, DamagedCheckpointsLoseNothing) {
  write_data(40, 10);
  auto config = write("tiny.toml", tiny_config + "[checkpoint]\nevery_steps = 2\nkeep = 4\n");
  auto whole = run({"train", config, "--out", "run"});
  EXPECT_CODE(whole, 0);
  auto model = contents_of(folder_ / "run/model.safetensors");
  std::vector<fs::path> checkpoints;
  for (const auto& entry : fs::directory_iterator(folder_ / "run"))
    if (entry.path().extension() == ".ckpt") checkpoints.push_back(entry.path());
  std::sort(checkpoints.begin(), checkpoints.end());
  ASSERT_GE(checkpoints.size(), 2u);
  auto newest = checkpoints.back();
  auto sound = contents_of(newest);
  auto flipped = sound;
  flipped[sound.size() - 9] = static_cast<char>(flipped[sound.size() - 9] ^ 1);
  for (const auto& damaged : {sound.substr(0, sound.size() / 2), flipped, string()}) {
    std::ofstream(newest, std::ios::binary) << damaged;
    auto asked = run({"train", config, "--out", "other", "--resume", newest.string()});
    EXPECT_CODE(asked, 4);
    expect_in(asked.err, {newest.filename().string()}, asked);
    auto again = run({"train", config, "--out", "run"});  // --resume auto takes the one before it
    EXPECT_CODE(again, 0);
    EXPECT_TRUE(contents_of(folder_ / "run/model.safetensors") == model) << again.command;
  }
  std::ofstream(newest, std::ios::binary) << sound;
  auto other_model =
      run({"train", config, "--set", "model.hidden=[8]", "--out", "b", "--resume", newest.string()});
  EXPECT_CODE(other_model, 2);
  expect_in(other_model.err, {"fc1.weight"}, other_model);
}

TEST_F(Cli, FoldersThatCannotHoldARun) {
  write_data(40, 10);
  auto config = write("tiny.toml", tiny_config);
  write("file", "not a folder");
  expect_in(run({"train", config, "--out", "file/run"}).err, {"file"},
            run({"train", config, "--out", "file/run"}));
  auto refused = run({"train", config, "--out", "/proc/lockstep-run"});
  EXPECT_TRUE(refused.code == 2 || refused.code == 3) << refused.command << refused.err;
  expect_in(refused.err, {"/proc/lockstep-run"}, refused);
  auto first = run({"train", config, "--out", "run"});
  EXPECT_CODE(first, 0);
  auto second = run({"train", config, "--out", "run", "--resume", "none"});
  EXPECT_CODE(second, 2);
  expect_in(second.err, {"run", "--resume auto"}, second);
}

TEST_F(Cli, AFullDiskIsSaidAndCostsNoCheckpoint) {
  write_data(40, 10);
  auto config = write("tiny.toml", tiny_config);
  fs::create_directories(folder_ / "disk");
  string mount =
      "mount -t tmpfs -o size=64k tmpfs " + quoted_for_shell((folder_ / "disk").string()) + " 2> /dev/null";
  if (std::system(mount.c_str()) != 0) GTEST_SKIP() << "may not mount a small file system";
  auto output = run({"train", config, "--out", "disk/run", "--set", "model.hidden=[64]"});
  EXPECT_EQ(std::system(("umount " + quoted_for_shell((folder_ / "disk").string())).c_str()), 0);
  EXPECT_CODE(output, 3);
  expect_in(output.err, {"disk/run", "No space left on device"}, output);
}

TEST_F(Cli, OutputThatNobodyTakesIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  int status = std::system((quoted_for_shell(command_) + " --help > /dev/full 2> /dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3) << command_ << " --help > /dev/full";
}

}  // namespace
}  // namespace lockstep
