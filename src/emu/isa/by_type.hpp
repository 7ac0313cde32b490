// SPDX-License-Identifier: Apache-2.0
// From a PTX type to a C++ type: calls `make(T{})` with the one that has its size and signedness.
#pragma once

#include <cstdint>

#include "emu/isa/instruction.hpp"

namespace tileloom::emu {

// 16, 32 and 64 bits; anything else is not supported.
template <class F>
[[nodiscard]] Handler by_width(Instr& in, ptx::Type type, F make) {
  switch (ptx::bits_of(type)) {
    case 16:
      return make(std::uint16_t{});
    case 32:
      return make(std::uint32_t{});
    case 64:
      return make(std::uint64_t{});
    default:
      in.fail_unsupported();
  }
}

template <class F>
[[nodiscard]] Handler by_integer(Instr& in, ptx::Type type, F make) {
  if (ptx::is_float(type)) in.fail_unsupported();
  if (!ptx::is_signed(type)) return by_width(in, type, make);
  switch (ptx::bits_of(type)) {
    case 16:
      return make(std::int16_t{});
    case 32:
      return make(std::int32_t{});
    case 64:
      return make(std::int64_t{});
    default:
      in.fail_unsupported();
  }
}

// f32 and f64.
template <class F>
[[nodiscard]] Handler by_real(Instr& in, ptx::Type type, F make) {
  if (type == ptx::Type::f32) return make(float{});
  if (type == ptx::Type::f64) return make(double{});
  in.fail_unsupported();
}

}  // namespace tileloom::emu
