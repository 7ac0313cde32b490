// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace tileloom::emu {

// What registers, shared and local memory hold before their first write: f16 and f32 NaN, so that a use shows.
inline constexpr int uninitialised = 0xFF;

struct CacheLineDelete {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], CacheLineDelete>;

[[nodiscard]] inline AlignedBytes make_aligned_bytes(std::size_t size) {
  AlignedBytes made(static_cast<std::byte*>(::operator new[](size, std::align_val_t{64})));
  std::memset(made.get(), uninitialised, size);
  return made;
}

}  // namespace tileloom::emu
