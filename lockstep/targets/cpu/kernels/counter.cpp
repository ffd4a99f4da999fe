#include "lockstep/targets/cpu/kernels/counter.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref counter, apply, next;
};

void part(const Args& a, const Frame& f, int64_t) noexcept {
  *f.at<int64_t>(a.next) = *f.at<int64_t>(a.counter) + (*f.at<uint8_t>(a.apply) != 0 ? 1 : 0);
}

Fit fits(const GroupView&) { return yes(); }

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  sink.emit<part>(Args{sink.ref(s.reads[0]), sink.ref(s.reads[1]), sink.ref(s.writes[0])}, 1);
}

}  // namespace

Kernel advance_kernel() { return {"advance", {"advance"}, fits, lower}; }

}  // namespace lockstep::cpu
