// What the executable is made of: a flat array of calls. A call is a function, its arguments and a number of
// parts; parts do not depend on the number of threads, so neither do the bits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::cpu {

/// Where an operand lies, known once memory is laid out. Slot of iteration i: (i + offset) mod modulo.
struct Cell {
  std::byte* base = nullptr;
  int64_t slot_bytes = 0, offset = 0, modulo = 1;
  int loop = -1;
};

/// Names a cell; resolved when the call runs.
struct Ref {
  int cell = -1;
  explicit operator bool() const { return cell >= 0; }
};

/// The first fault of a call of n steps; kept until the host asks.
struct FaultBox {
  std::atomic<bool> raised{false};
  char text[512] = {};
  void raise(const char* message) noexcept;
};

/// What a part sees.
struct Frame {
  const Cell* cells;
  const int64_t* iteration;  ///< by loop depth
  FaultBox* fault;
  int member;  ///< thread of the team that runs this part

  template <class T>
  T* at(Ref r) const {
    const Cell& c = cells[r.cell];
    std::byte* p = c.base;
    if (c.loop >= 0)
      p += ((iteration[c.loop] + c.offset) % c.modulo + (iteration[c.loop] + c.offset < 0 ? c.modulo : 0)) *
           c.slot_bytes;
    return reinterpret_cast<T*>(p);
  }
};

using CallFunction = void (*)(const void* args, const Frame& frame, int64_t part) noexcept;

struct Call {
  CallFunction function = nullptr;
  const void* args = nullptr;
  int64_t parts = 1;
};

}  // namespace lockstep::cpu
