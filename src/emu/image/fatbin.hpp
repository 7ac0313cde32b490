// SPDX-License-Identifier: Apache-2.0
// The container that nvcc puts device code into: a header, then entries, each a header and its payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emu/image/decompress.hpp"

namespace tileloom::emu {

enum class EntryKind { ptx, machine_code, other };

struct FatbinEntry {
  EntryKind kind = EntryKind::other;
  int arch = 0;  // 80 for sm_80
  Compression compression = Compression::none;
  std::size_t size = 0;                // of what it stands for, in bytes
  std::span<const std::byte> payload;  // without padding
};

struct Fatbin {
  std::size_t bytes = 0;  // of the whole container
  std::vector<FatbinEntry> entries;
};

// Position of the next fatbin's header at or after `from`; nothing where there is none.
[[nodiscard]] std::optional<std::size_t> find_fatbin(std::span<const std::byte> file, std::size_t from);

// The fatbin at the start of `bytes`, which may go on behind it. Throws Error(bad_input) where a size does not fit;
// `name` is used in the message.
[[nodiscard]] Fatbin parse_fatbin(std::span<const std::byte> bytes, std::string_view name);

}  // namespace tileloom::emu
