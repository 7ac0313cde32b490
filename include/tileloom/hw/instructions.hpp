// SPDX-License-Identifier: Apache-2.0
// Matrix and copy instructions as data: one table, with CuTe's name, PTX, types, registers and thread-value layouts.
//
// A thread-value (TV) layout maps (thread, value) to an element of the operand, counted down the first mode first, as
// CuTe's traits do: m + M*k for A, n + N*k for B, m + M*n for C and D. Layouts are CuTe's to the last underscore, and a
// test compiled against CuTe compares every entry; the few that CuTe has wrong are right here, and keep CuTe's text
// beside (MmaOperand::cute_tv).
//
//   const MmaAtom& mma = mma_atom("SM80_16x8x16_F16F16F16F16_TN");   // or "m16n8k16 f16", or the PTX mnemonic
//   mma.a.tv                                // ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))
//   LaneMap(mma.a, mma.m, mma.k).at(0, 5)   // {0, 9}: lane 0's value 5 is A(0,9); lane_maps.hpp
//   mma.a.registers                         // 4
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/hw/arch.hpp"
#include "tileloom/layout/layout.hpp"

namespace tileloom::hw {

enum class ElementType { f16, bf16, tf32, f32, f64, e4m3, e5m2, s8, u8, s4, u4, s32, b1 };
[[nodiscard]] int bits(ElementType type);               // 16 for f16; 32 for tf32
[[nodiscard]] std::string_view name(ElementType type);  // "f16", as in PTX

// Where an operand lives.
enum class Holder { registers, shared_descriptor };

struct MmaOperand {
  ElementType type;
  Holder holder = Holder::registers;
  int values = 0;             // elements that a thread holds; of a descriptor, the whole operand
  int registers = 0;          // 32-bit registers a thread holds, the last one perhaps in part; 0 for a descriptor
  int register_bits = 0;      // of one PTX register: 32, or 64 for f64; 0 for a descriptor
  std::string register_name;  // "a" in a0, a1, ...: PTX's own letter
  layout::Layout tv;          // (thread, value) -> element
  std::string cute_tv;        // what CuTe prints, where CuTe is wrong; else empty

  // Elements in one register, the first one in the lowest bits.
  [[nodiscard]] int per_register() const { return register_bits / bits(type); }
};

struct MmaAtom {
  std::string name;  // CuTe's: SM80_16x8x16_F16F16F16F16_TN
  std::string ptx;   // mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16; empty for a scalar fma
  Arch arch;         // the first for which CuTe offers it
  int m = 0, n = 0, k = 0;
  int threads = 0;           // that execute it together
  layout::Layout thread_id;  // logical thread -> lane (CuTe's ThrID)
  MmaOperand d, a, b, c;
  std::string source;  // section of the PTX ISA

  // An instruction of one architecture only: wgmma.
  [[nodiscard]] bool one_arch_only() const { return threads == 128; }
};

enum class CopyKind { universal, automatic, cp_async, ldmatrix, stmatrix };

struct CopyAtom {
  std::string name;  // SM75_U32x4_LDSM_N, UniversalCopy<uint128_t>, SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>
  std::string ptx;   // ldmatrix.sync.aligned.m8n8.x4.shared.b16; empty where the compiler chooses
  Arch arch;         // the first for which CuTe offers it
  CopyKind kind = CopyKind::universal;
  int threads = 0;
  layout::Layout thread_id;
  // (thread, bit) -> bit of the copied block, as in CuTe's Copy_Traits. The block of ldmatrix and stmatrix is its rows
  // of 128 bits, matrix after matrix. An automatic copy has no block of its own: (_1,_1):(_0,_0).
  layout::Layout source_bits, destination_bits, reference_bits;
  int unit_bits = 8;   // the smallest piece whose bits always stay together: 16 for ldmatrix and stmatrix, else 8
  std::string source;  // section of the PTX ISA
};

// All entries, in the order of their architecture. Built once, on the first call.
[[nodiscard]] std::span<const MmaAtom> mma_atoms();
[[nodiscard]] std::span<const CopyAtom> copy_atoms();

// All names, in the same order; builds no layouts.
[[nodiscard]] std::vector<std::string> mma_names();
[[nodiscard]] std::vector<std::string> copy_names();

// By name; builds only this entry, once. The name is, in any case:
//   CuTe's, also without the SM prefix and the suffix:  16x8x16_F16F16F16F16
//   CuTe's with other C++ types of the same width:      UniversalCopy<half_t>, UniversalFMA<float>
//   the PTX mnemonic, whole;
//   words of either that leave one entry:               m16n8k16 f16     ldmatrix x4 trans
// Where words leave several, those are taken of which the words name most: modifiers, the types of A and B, all types.
// Throws Error(bad_input): unknown names the nearest ones; ambiguous lists the candidates.
[[nodiscard]] const MmaAtom& mma_atom(std::string_view name);
[[nodiscard]] const CopyAtom& copy_atom(std::string_view name);

// Either kind by name, as above, among all entries: exactly one is set.
struct AnyAtom {
  const MmaAtom* mma = nullptr;
  const CopyAtom* copy = nullptr;
};
[[nodiscard]] AnyAtom atom(std::string_view name);

}  // namespace tileloom::hw
