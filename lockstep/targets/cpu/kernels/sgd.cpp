#include "lockstep/targets/cpu/kernels/sgd.h"

#include <algorithm>

#include "lockstep/ops/sgd.h"
#include "lockstep/targets/cpu/kernels/fit.h"
#include "lockstep/targets/cpu/kernels/loops.h"

namespace lockstep::cpu {
namespace {

struct Args {
  Ref w, g, m, rate, apply, w_next, m_next;
  SgdLoop how;
  Cut cut;
};

void part(const Args& a, const Frame& f, int64_t p) noexcept {
  const float *w = f.at<float>(a.w), *m = f.at<float>(a.m);
  float *w_next = f.at<float>(a.w_next), *m_next = f.at<float>(a.m_next);
  int64_t begin = a.cut.begin(p), end = a.cut.end(p);
  if (*f.at<uint8_t>(a.apply) != 0) {
    SgdLoop how = a.how;
    how.rate = *f.at<float>(a.rate);
    loops().sgd(how, w + begin, f.at<float>(a.g) + begin, m + begin, w_next + begin, m_next + begin,
                end - begin);
    return;
  }
  for (int64_t i = begin; i < end; ++i) {  // together: w_next may lie where m is, and m_next where w is
    float w_kept = w[i], m_kept = m[i];
    w_next[i] = w_kept;
    m_next[i] = m_kept;
  }
}

Fit fits(const GroupView& g) {
  const Step& s = g.step();
  if (g.type(s.writes[0]).dtype != DType::f32 || g.type(s.reads[3]).dtype != DType::f32) return no("not f32");
  return in_one_order(g) ? yes() : no("operands of two layouts");
}

void lower(const GroupView& g, CallSink& sink) {
  const Step& s = g.step();
  const auto& op = g.attrs<Sgd>();
  SgdLoop how{0, static_cast<float>(op.momentum), static_cast<float>(op.weight_decay),
              op.form == SgdForm::rate_inside, op.nesterov};
  Args a{sink.ref(s.reads[0]),
         sink.ref(s.reads[1]),
         sink.ref(s.reads[2]),
         sink.ref(s.reads[3]),
         sink.ref(s.reads[4]),
         sink.ref(s.writes[0]),
         sink.ref(s.writes[1]),
         how,
         Cut(g.type(s.writes[0]).elements(), stream_grain)};
  sink.emit<part>(a, a.cut.parts);
}

}  // namespace

Kernel sgd_kernel() { return {"sgd", {"sgd"}, fits, lower}; }

}  // namespace lockstep::cpu
