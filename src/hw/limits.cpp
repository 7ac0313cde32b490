// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/limits.hpp"

#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

constexpr std::uint32_t kib = 1024;

std::uint32_t shared_bytes(Arch arch) {
  if (arch.sm == 80 || arch.sm == 87) return 163 * kib;
  if (arch.sm == 86 || arch.sm == 89 || arch.sm >= 120) return 99 * kib;
  return 227 * kib;  // 9.0, 10.x, 11.0
}

}  // namespace

Limits limits(Arch arch) {
  if (arch < sm_80) {
    throw Error(ErrorKind::cannot_run, to_string(arch) + " is older than sm_80, the oldest that is supported");
  }
  return {shared_bytes(arch),
          48 * kib,
          1024,
          1024,
          1024,
          64,
          0x7FFF'FFFF,
          0xFFFF,
          0xFFFF,
          "CUDA C++ Programming Guide, technical specifications per compute capability"};
}

}  // namespace tileloom::hw
