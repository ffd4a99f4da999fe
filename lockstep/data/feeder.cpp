#include "lockstep/data/feeder.h"

#include <pthread.h>

#include <string>
#include <system_error>

#include "lockstep/base/error.h"

namespace lockstep {
namespace {

/// Everything is checked before the ring allocates.
std::vector<int64_t> checked_batch_bytes(const Dataset& dataset, const BatchPlan& plan,
                                         const std::optional<Augment>& augment,
                                         const Feeder::Options& options) {
  plan.check();
  LS_CHECK(plan.size == dataset.size(), "a batch plan for another data set");
  if (augment) augment->check(dataset.image_type().shape);
  if (options.slots < 1)
    throw user_error("the data ring is too small")
        .but(std::to_string(options.slots) + " slots", "1 at least");
  if (options.workers < 1)
    throw user_error("too few data threads").but(std::to_string(options.workers), "1 at least");
  std::vector<int64_t> bytes;
  for (const auto& stream : sample_streams(dataset))
    if (__builtin_mul_overflow(stream.sample.bytes(), plan.batch, &bytes.emplace_back()))
      throw user_error("the batch is too large").but(std::to_string(plan.batch), "fewer than 2^63 bytes");
  return bytes;
}

}  // namespace

Feeder::Feeder(std::shared_ptr<const Dataset> dataset, const BatchPlan& plan,
               const std::optional<Augment>& augment, const Options& options)
    : dataset_(std::move(dataset)),
      plan_(plan),
      augment_(augment),
      workers_(options.workers),
      streams_(sample_streams(*dataset_)),
      ring_(options.slots, checked_batch_bytes(*dataset_, plan, augment, options)) {
  if (augment_ && augment_->pad == 0 && !augment_->flip) augment_.reset();
  ring_.close();  // whoever waits before start() is told no instead of sleeping for ever
}

Feeder::~Feeder() { stop(); }

void Feeder::start(int64_t first, int64_t last) {
  stop();
  ring_.reset(first, last);
  next_.store(first);
  try {
    for (int worker = 0; worker < workers_; ++worker)
      threads_.emplace_back(&Feeder::work, this, worker, last);
  } catch (const std::system_error& e) {
    stop();
    throw system_error("cannot start data thread " + std::to_string(threads_.size()), e.code().value());
  }
}

void Feeder::stop() {
  ring_.close();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

/// Tickets are taken in order, so the batch the consumer waits for is always in some worker's hands, or done.
void Feeder::work(int worker, int64_t last) noexcept {
  pthread_setname_np(pthread_self(), ("data-" + std::to_string(worker)).c_str());
  try {
    BatchMaker maker(*dataset_, plan_, augment_);
    for (;;) {
      int64_t b = next_.fetch_add(1, std::memory_order_relaxed);
      if (b >= last || !ring_.wait_empty(b)) return;
      maker.fill(b, buffers(b));
      ring_.publish(b);
    }
  } catch (...) {
    ring_.fail(std::current_exception());
  }
}

BatchBuffers Feeder::buffers(int64_t b) {
  return {ring_.at(image, b), reinterpret_cast<int32_t*>(ring_.at(label, b)),
          reinterpret_cast<float*>(ring_.at(mask, b)), reinterpret_cast<uint64_t*>(ring_.at(sample_key, b))};
}

}  // namespace lockstep
