// SPDX-License-Identifier: Apache-2.0
// The generic 64-bit address space: the bits above 2^40 say what an address belongs to, so that looking one up is one
// table access and nothing can run from one buffer into another. Global and constant addresses are generic addresses;
// shared, local and parameter addresses are offsets into their window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tileloom::emu {

inline constexpr unsigned region_bits = 40;
inline constexpr std::uint64_t region_bytes = std::uint64_t{1} << region_bits;

inline constexpr std::uint64_t shared_region = 1;
inline constexpr std::uint64_t local_region = 2;
inline constexpr std::uint64_t param_region = 3;
inline constexpr std::uint64_t function_region = 4;  // code: no access reaches it
inline constexpr std::uint64_t first_buffer_region = 16;
inline constexpr std::uint64_t first_variable_region = std::uint64_t{1} << 20;

[[nodiscard]] constexpr std::uint64_t region_base(std::uint64_t region) {
  return region << region_bits;
}
// Where a buffer or variable begins: in the middle of its region, so that an access before its start is still its own.
[[nodiscard]] constexpr std::uint64_t buffer_base(std::uint64_t region) {
  return region_base(region) + region_bytes / 2;
}
// Of a function of the module, by its number: what a pointer to it holds.
[[nodiscard]] constexpr std::uint64_t function_address(std::uint32_t function) {
  return region_base(function_region) + 16 * std::uint64_t{function};
}
[[nodiscard]] constexpr std::uint64_t region_of(std::uint64_t address) {
  return address >> region_bits;
}

// Bytes that an access may touch.
struct Region {
  std::byte* data = nullptr;
  std::uint64_t base = 0;  // address of data[0]
  std::uint64_t size = 0;
  bool writable = true;
  std::string label;
  // For each 16 bytes of address space from `base` rounded down, a mask of those that have been written; null: all.
  std::uint16_t* written = nullptr;
};

}  // namespace tileloom::emu
