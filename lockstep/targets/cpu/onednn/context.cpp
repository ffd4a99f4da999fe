#include "lockstep/targets/cpu/onednn/context.h"

#include <algorithm>

namespace lockstep::cpu {
namespace {

constexpr int most_arguments = 6;

struct PrimitiveArgs {
  PartedPrimitive* primitive;
};

void primitive_part(const PrimitiveArgs& args, const Frame& f, int64_t part) noexcept {
  auto& p = *args.primitive;
  std::array<dnnl_exec_arg_t, most_arguments> list{};
  int count = 0;
  for (auto& a : p.arguments) {
    int64_t which = a.by_member ? f.member : part;
    list[count].arg = a.name;
    list[count].memory = a.memories[which].at(f.at<std::byte>(a.ref) + which * a.part_bytes);
    ++count;
  }
  auto status =
      dnnl_primitive_execute(p.primitive.get(), p.library->streams[f.member].get(), count, list.data());
  if (status != dnnl_success) f.fault->raise("oneDNN refused to execute a primitive it had made");
}

}  // namespace

void PartedPrimitive::add(int name, Ref ref, const dnnl::memory::desc& desc, int64_t parts,
                          int64_t part_bytes) {
  PrimitiveArgument a;
  a.name = name;
  a.ref = ref;
  a.part_bytes = part_bytes;
  for (int64_t p = 0; p < parts; ++p) a.memories.emplace_back(desc, library->engine);
  arguments.push_back(std::move(a));
}

void PartedPrimitive::add_scratchpad(CallSink& sink, const dnnl::memory::desc& desc) {
  auto bytes = static_cast<int64_t>(desc.get_size() + 63) / 64 * 64;
  if (bytes == 0) return;
  int members = sink.threads();
  add(DNNL_ARG_SCRATCHPAD, sink.scratch(bytes * members), desc, members, bytes);
  arguments.back().by_member = true;
}

void PartedPrimitive::emit(std::shared_ptr<PartedPrimitive> self, CallSink& sink, int64_t parts) {
  auto* raw = self.get();
  sink.keep(std::move(self));
  sink.emit<primitive_part>(PrimitiveArgs{raw}, parts);
}

void emit_reorder(const std::shared_ptr<OneDnn>& library, Ref from, const dnnl::memory::desc& from_desc,
                  Ref to, const dnnl::memory::desc& to_desc, CallSink& sink) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::reorder::primitive_desc pd(library->engine, from_desc, library->engine, to_desc, attr);
  auto p = std::make_shared<PartedPrimitive>();
  p->library = library;
  p->primitive = dnnl::reorder(pd);
  p->add(DNNL_ARG_FROM, from, from_desc, 1, 0);
  p->add(DNNL_ARG_TO, to, to_desc, 1, 0);
  p->add_scratchpad(sink, pd.scratchpad_desc());
  PartedPrimitive::emit(p, sink, 1);
}

int64_t images_per_part(int64_t images, int64_t parts) {
  int64_t best = 1;
  for (int64_t d = 1; d * parts <= images; ++d)
    if (images % d == 0) best = d;
  return best;
}

}  // namespace lockstep::cpu
