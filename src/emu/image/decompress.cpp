// SPDX-License-Identifier: Apache-2.0
#include "emu/image/decompress.hpp"

#include <lz4.h>
#include <zstd.h>

namespace tileloom::emu {

std::optional<std::string> decompress(Compression compression, std::span<const std::byte> packed, std::size_t size) {
  const char* bytes = reinterpret_cast<const char*>(packed.data());
  std::string text(size, '\0');
  std::size_t made = 0;
  switch (compression) {
    case Compression::none:
      return size <= packed.size() ? std::optional(std::string(bytes, size)) : std::nullopt;
    case Compression::lz4: {
      const int result =
          LZ4_decompress_safe(bytes, text.data(), static_cast<int>(packed.size()), static_cast<int>(size));
      made = result < 0 ? size + 1 : static_cast<std::size_t>(result);
      break;
    }
    case Compression::zstd:
      made = ZSTD_decompress(text.data(), size, bytes, packed.size());  // an error is a number near the largest
      break;
  }
  return made == size ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::string> unpack_zstd(std::span<const std::byte> file) {
  const unsigned long long size = ZSTD_getFrameContentSize(file.data(), file.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return std::nullopt;
  return decompress(Compression::zstd, file, size);
}

}  // namespace tileloom::emu
