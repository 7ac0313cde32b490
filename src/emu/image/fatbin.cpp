// SPDX-License-Identifier: Apache-2.0
#include "emu/image/fatbin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

// Little-endian, offsets in bytes. Not documented; read off the files that nvcc 13.0 writes, in each compression mode,
// and the same since CUDA 11.
constexpr std::uint32_t magic = 0xBA55ED50;
namespace header {
constexpr std::size_t version = 4, own_size = 6, content_size = 8, size = 16;
}
namespace entry {
constexpr std::size_t kind = 0, own_size = 4, padded_size = 8, compressed_size = 16, arch = 28, flags = 40,
                      full_size = 56, size = 64;
constexpr std::uint16_t is_ptx = 1, is_machine_code = 2;
constexpr std::uint64_t lz4 = 0x2000, zstd = 0x8000;
}  // namespace entry

template <class T>
[[nodiscard]] T read(std::span<const std::byte> bytes, std::size_t at) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

[[noreturn]] void damaged(std::string_view name, std::string_view what, std::uint64_t found, std::uint64_t left) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: damaged fatbin: {} of {} bytes, {} are left", name, what, found, left),
              "build the file again");
}

[[nodiscard]] EntryKind kind_of(std::uint16_t kind) {
  return kind == entry::is_ptx            ? EntryKind::ptx
         : kind == entry::is_machine_code ? EntryKind::machine_code
                                          : EntryKind::other;
}

[[nodiscard]] Compression compression_of(std::uint64_t flags) {
  return (flags & entry::lz4) != 0    ? Compression::lz4
         : (flags & entry::zstd) != 0 ? Compression::zstd
                                      : Compression::none;
}

// The entry at the start of `bytes`, and how far it reaches.
[[nodiscard]] FatbinEntry parse_entry(std::span<const std::byte> bytes, std::string_view name, std::size_t& reach) {
  if (bytes.size() < entry::size) damaged(name, "an entry's header", entry::size, bytes.size());
  const std::uint64_t own_size = read<std::uint32_t>(bytes, entry::own_size);
  const auto padded_size = read<std::uint64_t>(bytes, entry::padded_size);
  if (own_size < entry::size || own_size > bytes.size()) damaged(name, "an entry's header", own_size, bytes.size());
  if (padded_size > bytes.size() - own_size) damaged(name, "an entry", padded_size, bytes.size() - own_size);
  FatbinEntry found;
  found.kind = kind_of(read<std::uint16_t>(bytes, entry::kind));
  found.arch = static_cast<int>(std::min<std::uint32_t>(read<std::uint32_t>(bytes, entry::arch), 9999));
  found.compression = compression_of(read<std::uint64_t>(bytes, entry::flags));
  const bool packed = found.compression != Compression::none;
  const std::uint64_t payload = packed ? read<std::uint32_t>(bytes, entry::compressed_size) : padded_size;
  if (payload > padded_size) damaged(name, "a compressed image", payload, padded_size);
  found.size = packed ? read<std::uint64_t>(bytes, entry::full_size) : padded_size;
  found.payload = bytes.subspan(own_size, payload);
  reach = own_size + padded_size;
  return found;
}

}  // namespace

std::optional<std::size_t> find_fatbin(std::span<const std::byte> file, std::size_t from) {
  const auto pattern = std::bit_cast<std::array<std::byte, sizeof magic>>(magic);
  while (from < file.size()) {
    const auto at =
        std::search(file.begin() + static_cast<std::ptrdiff_t>(from), file.end(), pattern.begin(), pattern.end());
    const auto found = static_cast<std::size_t>(at - file.begin());
    if (at == file.end() || file.size() - found < header::size) return std::nullopt;
    // The magic number is also a constant in programs that look for it; a header has its size and version beside it.
    if (read<std::uint16_t>(file, found + header::version) == 1 &&
        read<std::uint16_t>(file, found + header::own_size) == header::size) {
      return found;
    }
    from = found + 1;
  }
  return std::nullopt;
}

Fatbin parse_fatbin(std::span<const std::byte> bytes, std::string_view name) {
  const auto content_size = read<std::uint64_t>(bytes, header::content_size);
  if (content_size > bytes.size() - header::size) damaged(name, "content", content_size, bytes.size() - header::size);
  Fatbin fatbin{header::size + content_size, {}};
  for (auto rest = bytes.subspan(header::size, content_size); !rest.empty();) {
    std::size_t reach = 0;
    fatbin.entries.push_back(parse_entry(rest, name, reach));
    rest = rest.subspan(reach);
  }
  return fatbin;
}

}  // namespace tileloom::emu
