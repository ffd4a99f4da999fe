// SHA-256 (FIPS 180-4) by libsodium: names bundles and proves that files are whole.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace lockstep {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(const void* data, size_t bytes);
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep
