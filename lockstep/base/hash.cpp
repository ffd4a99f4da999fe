#include "lockstep/base/hash.h"

#include <sodium.h>

#include <array>

namespace lockstep {

struct Sha256::State {
  crypto_hash_sha256_state sodium;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { crypto_hash_sha256_init(&state_->sodium); }
Sha256::~Sha256() = default;

void Sha256::add(const void* data, size_t bytes) {
  crypto_hash_sha256_update(&state_->sodium, static_cast<const unsigned char*>(data), bytes);
}

std::string Sha256::finish() {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256_final(&state_->sodium, digest.data());
  std::string hex;
  constexpr char digits[] = "0123456789abcdef";
  for (auto byte : digest) hex += digits[byte >> 4], hex += digits[byte & 15];
  return hex;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hash.finish();
}

}  // namespace lockstep
