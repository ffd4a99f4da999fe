#include "lockstep/targets/cpu/kernels/eval_wrapper.h"

#include <algorithm>

#include "lockstep/ir/tensor.h"

namespace lockstep::cpu {
namespace {

struct Side {
  Ref ref;
  Layout layout;
};

/// Tensors are made at lowering; eval may allocate, which is why nothing quick uses this.
struct WrapperArgs {
  const OpRow* op;
  std::shared_ptr<const void> attrs;
  std::vector<Side> reads, writes;
  std::shared_ptr<std::vector<Tensor>> tensors;  // reads, then writes
  std::shared_ptr<std::vector<float>> reorder;
  std::vector<const Tensor*> in;
  std::vector<Tensor*> out;
};

void eval_part(const WrapperArgs& a, const Frame& f, int64_t) noexcept {
  try {
    for (size_t i = 0; i < a.reads.size(); ++i) {
      auto& t = (*a.tensors)[i];
      if (a.reads[i].layout == Layout::plain) {
        load(t, f.at<const void>(a.reads[i].ref));
      } else {
        to_plain(f.at<const float>(a.reads[i].ref), a.reorder->data(), t.shape());
        load(t, a.reorder->data());
      }
    }
    for (auto* t : a.out) {
      std::fill(t->real.begin(), t->real.end(), 0.0);
      std::fill(t->whole.begin(), t->whole.end(), 0);
    }
    a.op->eval(a.attrs.get(), {a.in, a.out});
    for (size_t i = 0; i < a.writes.size(); ++i) {
      if (a.writes[i].layout == Layout::plain) {
        store(*a.out[i], f.at<void>(a.writes[i].ref));
      } else {
        store(*a.out[i], a.reorder->data());
        to_blocked(a.reorder->data(), f.at<float>(a.writes[i].ref), a.out[i]->shape());
      }
    }
  } catch (const std::exception& e) {
    f.fault->raise(e.what());
  }
}

Fit fits(const GroupView&) { return yes(); }

void lower(const GroupView& g, CallSink& sink) {
  const auto& step = g.step();
  WrapperArgs a;
  a.op = step.op;
  a.attrs = step.attrs;
  a.tensors = std::make_shared<std::vector<Tensor>>();
  int64_t largest = 0;
  auto side = [&](const Operand& o) {
    a.tensors->emplace_back(g.type(o));
    largest = std::max(largest, g.type(o).elements());
    return Side{sink.ref(o), g.layout(o)};
  };
  for (const auto& o : step.reads) a.reads.push_back(side(o));
  for (const auto& o : step.writes) a.writes.push_back(side(o));
  a.reorder = std::make_shared<std::vector<float>>(largest);
  for (size_t i = 0; i < a.reads.size(); ++i) a.in.push_back(&(*a.tensors)[i]);
  for (size_t i = 0; i < a.writes.size(); ++i) a.out.push_back(&(*a.tensors)[a.reads.size() + i]);
  for (const auto& t : *a.tensors) sink.count_bytes(t.size() * 8);
  sink.count_bytes(largest * 4);
  sink.emit<eval_part>(std::move(a), 1);
}

}  // namespace

Kernel eval_wrapper_kernel() { return {"eval", {"*"}, fits, lower}; }

}  // namespace lockstep::cpu
