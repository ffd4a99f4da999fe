#include "lockstep/run/metrics.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "lockstep/base/error.h"
#include "lockstep/base/file.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

std::string json_number(double value) { return std::isfinite(value) ? number_text(value) : "null"; }

/// Lines that are not ours, or not whole, do not count.
bool counts(std::string_view line, const MetricsStart& start) {
  auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return false;
  auto step = json.find("step"), kind = json.find("kind");
  if (step == json.end() || !step->is_number_integer() || kind == json.end()) return false;
  return step->get<int64_t>() <= (*kind == "evaluation" ? start.evaluated_step : start.step);
}

}  // namespace

std::string trimmed_metrics(const std::string& text, const MetricsStart& start) {
  std::string out;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::string_view line(text.data() + begin, end - begin);
    if (counts(line, start)) out.append(line).push_back('\n');
  }
  return out;
}

MetricsFile::MetricsFile(const std::filesystem::path& path, const MetricsStart& start) : path_(path) {
  if (std::filesystem::exists(path_)) {
    std::string text = read_file(path_), kept = trimmed_metrics(text, start);
    if (kept != text) write_file_atomically(path_, kept);
  }
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) fail("cannot write the metrics", errno);
}

MetricsFile::~MetricsFile() { ::close(file_); }

void MetricsFile::fail(const char* what, int error) const {
  throw system_error(what, error).at(path_.string()).advise("make room, then run again with --resume auto");
}

void MetricsFile::add(const StepEvent& e) {
  fmt::format_to(
      std::back_inserter(pending_),
      R"({{"kind":"step","step":{},"epoch":{},"loss":{},"accuracy":{},"rate":{},"samples_per_second":{},)"
      R"("wait_seconds":{}}})"
      "\n",
      e.step, json_number(e.epoch), json_number(e.loss), json_number(e.accuracy), json_number(e.rate),
      json_number(e.samples_per_second), json_number(e.wait_seconds));
}

void MetricsFile::add(const EvalEvent& e) {
  fmt::format_to(
      std::back_inserter(pending_),
      R"({{"kind":"evaluation","step":{},"epoch":{},"loss":{},"accuracy":{},"accuracy5":{},"samples":{},)"
      R"("seconds":{}}})"
      "\n",
      e.step, json_number(e.epoch), json_number(e.loss), json_number(e.accuracy), json_number(e.accuracy5),
      e.samples, json_number(e.seconds));
}

void MetricsFile::flush() {
  std::string_view rest = pending_;
  while (!rest.empty()) {
    ssize_t n = ::write(file_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write the metrics", errno);
    rest.remove_prefix(static_cast<size_t>(n));
  }
  pending_.clear();
}

void MetricsFile::sync() {
  flush();
  // EINVAL: a pipe or terminal in place of a file has nothing to sync.
  if (::fsync(file_) != 0 && errno != EINVAL && errno != EROFS) fail("cannot sync the metrics", errno);
}

}  // namespace lockstep
