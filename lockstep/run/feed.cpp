#include "lockstep/run/feed.h"

#include "lockstep/base/error.h"
#include "lockstep/base/text.h"

namespace lockstep {
namespace {

/// Slots of a program's ring: all streams have equally many.
int64_t slots_of(const Program& program) {
  int64_t slots = 0;
  for (const auto& stream : program.streams) {
    LS_CHECK(slots == 0 || slots == stream.slots, "streams of one program with different slots");
    slots = stream.slots;
  }
  return slots == 0 ? 1 : slots;
}

Type batch_type(const Type& sample, int64_t batch) {
  Type type{sample.dtype, {batch}};
  type.shape.insert(type.shape.end(), sample.shape.begin(), sample.shape.end());
  return type;
}

int ring_stream(const PortDecl& port, const std::vector<StreamSpec>& streams, int64_t batch) {
  std::vector<std::string> names;
  for (size_t i = 0; i < streams.size(); ++i) {
    names.push_back(streams[i].name);
    if (streams[i].name != port.name) continue;
    Type got = batch_type(streams[i].sample, batch);
    if (got != port.type)
      throw user_error("the data are not what the program reads")
          .at("stream " + port.name)
          .but(type_text(got), type_text(port.type));
    return static_cast<int>(i);
  }
  throw user_error("the data have no such stream")
      .at("stream " + port.name)
      .but(port.name, join(names, " | "));
}

}  // namespace

Feed::Feed(const Program& program, std::shared_ptr<const Dataset> dataset, const BatchPlan& plan,
           const std::optional<Augment>& augment, int workers)
    : feeder_(std::move(dataset), plan, augment, {slots_of(program), workers}) {
  for (const auto& port : program.streams)
    ring_stream_.push_back(ring_stream(port, feeder_.streams(), plan.batch));
}

std::byte* Feed::base(int stream) {
  return reinterpret_cast<std::byte*>(feeder_.ring().base(ring_stream_.at(static_cast<size_t>(stream))));
}

int64_t Feed::slot_bytes(int stream) const {
  auto& ring = const_cast<Feeder&>(feeder_).ring();  // reading a ring's geometry changes nothing
  return ring.slot_bytes(ring_stream_.at(static_cast<size_t>(stream)));
}

}  // namespace lockstep
