// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tileloom::emu {

enum class Compression { none, lz4, zstd };

// The `size` bytes that `packed` stands for; nothing where it stands for another number of bytes or for none.
// none: the first `size` bytes of `packed`.
[[nodiscard]] std::optional<std::string> decompress(Compression compression, std::span<const std::byte> packed,
                                                    std::size_t size);

// What a file of the program `zstd` stands for, which says its size itself; nothing where it is damaged.
[[nodiscard]] std::optional<std::string> unpack_zstd(std::span<const std::byte> file);

}  // namespace tileloom::emu
