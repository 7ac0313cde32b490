// SPDX-License-Identifier: Apache-2.0
// A kernel configuration, evaluated: its tiled MMA, its copies and the layouts of every stage.
//
//   const Kernel kernel = build_kernel(config);            // sizes of 4096
//   kernel.path(Operand::a).shared                         // sA
//   kernel.path(Operand::a).drain->partition_source(...)   // tXsA
#pragma once

#include <array>
#include <optional>
#include <string>

#include "tileloom/hw/arch.hpp"
#include "tileloom/layout/symbols.hpp"
#include "tileloom/trace/kernel_config.hpp"
#include "tileloom/trace/tiled_copy.hpp"
#include "tileloom/trace/tiled_mma.hpp"

namespace tileloom::trace {

// Everything that one operand passes. A and B: global -> (fill) -> shared -> (drain) -> registers. C: registers ->
// (fill) -> shared -> (drain) -> global, or, where C has no shared memory, registers -> (drain) -> global. What the
// kernel does not have is empty.
struct OperandPath {
  Operand operand = Operand::a;
  hw::ElementType type{};  // in memory
  int bits = 0;            // of one element in memory
  std::int64_t rows = 0;   // of the CTA's tile
  std::int64_t columns = 0;
  std::optional<layout::SymbolicLayout> matrix_symbols;
  std::optional<layout::AnyLayout> matrix;  // the whole matrix
  std::optional<layout::AnyLayout> global;  // gA, gB: (rows, columns, k-tiles); gC: (rows, columns); of CTA (0,0)
  std::optional<layout::AnyLayout> shared;  // (rows, columns) or (rows, columns, stages); C: a part of the tile
  std::int64_t shared_at = 0;               // first byte in the CTA's shared memory
  std::optional<TiledCopy> fill;            // into shared memory
  std::optional<TiledCopy> drain;           // out of shared memory; of C without it, out of registers
  layout::Layout fragment;                  // registers of a thread

  [[nodiscard]] std::int64_t elements() const { return rows * columns; }
};

struct Kernel {
  KernelConfig config;
  hw::Arch arch;
  TiledMma mma;
  std::array<OperandPath, 3> operands;
  layout::SymbolValues sizes;     // value of each symbol
  std::int64_t shared_bytes = 0;  // of a CTA; the epilogue's C lies over A and B unless smem_at says otherwise

  [[nodiscard]] const OperandPath& path(Operand o) const { return operands.at(static_cast<std::size_t>(o)); }
  [[nodiscard]] std::int64_t threads() const { return mma.threads().value; }
};

// `sizes` gives symbols values; others get 4096, rounded up to what their divisors and the tile ask for.
// Throws Error(bad_input) whose message begins with the field that is wrong.
[[nodiscard]] Kernel build_kernel(const KernelConfig& config, const layout::SymbolValues& sizes = {});

// Offset of an element in elements; of stage or k-tile `third` where the layout has a third mode. `before_swizzle`:
// without the swizzle.
[[nodiscard]] std::int64_t offset_at(const layout::AnyLayout& tensor, std::int64_t row, std::int64_t column,
                                     std::int64_t third = 0);
[[nodiscard]] std::int64_t offset_before_swizzle(const layout::AnyLayout& tensor, std::int64_t row, std::int64_t column,
                                                 std::int64_t third = 0);
// Size of mode `mode`, 1 where there is none.
[[nodiscard]] std::int64_t mode_size(const layout::AnyLayout& tensor, std::size_t mode);

}  // namespace tileloom::trace
