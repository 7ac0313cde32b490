// SPDX-License-Identifier: Apache-2.0
// Fatbins made by hand, right and wrong, independent of the reader.
#pragma once

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tileloom::test {

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  bytes.replace(at, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
}

struct FatbinEntryText {
  std::uint16_t kind = 1;  // PTX; 2 is machine code
  std::uint32_t arch = 80;
  std::uint64_t flags = 0x11;  // 0x2000: LZ4, 0x8000: zstd
  std::string content = {};

  [[nodiscard]] std::string packed() const {
    std::string out;
    if ((flags & 0x2000) != 0) {
      out.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(content.size()))));
      out.resize(static_cast<std::size_t>(LZ4_compress_default(
          content.data(), out.data(), static_cast<int>(content.size()), static_cast<int>(out.size()))));
    } else if ((flags & 0x8000) != 0) {
      out.resize(ZSTD_compressBound(content.size()));
      out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
    } else {
      out = content;
    }
    return out;
  }

  [[nodiscard]] std::string bytes() const { return with_payload(packed(), content.size()); }

  // `payload` as it is, said to stand for `full_size` bytes.
  [[nodiscard]] std::string with_payload(std::string payload, std::uint64_t full_size) const {
    const bool compressed = (flags & 0xA000) != 0;
    const auto size = static_cast<std::uint32_t>(payload.size());
    payload.resize((payload.size() + 7) / 8 * 8);
    std::string header(80, '\0');
    put<std::uint16_t>(header, 0, kind);
    put<std::uint16_t>(header, 2, 0x101);
    put<std::uint32_t>(header, 4, 80);
    put<std::uint64_t>(header, 8, payload.size());
    put<std::uint32_t>(header, 16, compressed ? size : 0);
    put<std::uint32_t>(header, 28, arch);
    put<std::uint64_t>(header, 40, flags);
    put<std::uint64_t>(header, 56, compressed ? full_size : 0);
    return header + payload;
  }
};

// The header of a fatbin before `content`.
[[nodiscard]] inline std::string container(const std::string& content) {
  std::string header(16, '\0');
  put<std::uint32_t>(header, 0, 0xBA55ED50);
  put<std::uint16_t>(header, 4, 1);
  put<std::uint16_t>(header, 6, 16);
  put<std::uint64_t>(header, 8, content.size());
  return header + content;
}

[[nodiscard]] inline std::string fatbin(const std::vector<FatbinEntryText>& entries) {
  std::string content = {};
  for (const FatbinEntryText& entry : entries) content += entry.bytes();
  return container(content);
}

}  // namespace tileloom::test
