// Files in a folder of their own, and errors as values.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/error.h"

namespace lockstep {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The error that `f` throws; a test failure and an empty error when it throws none.
template <class F>
Error error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return bug("no error");
}

inline void expect_error(const Error& e, ErrorKind kind, const std::vector<std::string>& parts) {
  EXPECT_EQ(e.kind, kind) << e.what();
  for (const auto& part : parts)
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << "no '" << part << "' in:\n" << e.what();
}

inline std::string gzipped(std::string_view bytes) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, bytes.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

/// An IDX file of unsigned bytes.
inline std::string idx_bytes(const std::vector<uint32_t>& shape, std::string_view elements) {
  std::string out{0, 0, 8, static_cast<char>(shape.size())};
  for (uint32_t size : shape)
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift);
  return out + std::string(elements);
}

}  // namespace lockstep
