// SPDX-License-Identifier: Apache-2.0
// The table as it is written down: families of instructions that share a shape and its layouts. Names, mnemonics,
// registers and packing follow from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/hw/instructions.hpp"

namespace tileloom::hw {

struct MmaTypes {
  ElementType d, a, b, c;
};

// Who executes it; wgmma is of a warpgroup. A quad pair's instruction is a warp's.
enum class MmaLevel { thread, warp, warpgroup };

// wgmma's layouts follow from N and the types, so that they are not written here.
struct MmaFamily {
  MmaLevel level = MmaLevel::warp;
  int sm = 0;
  int m = 0, n = 0, k = 0;
  std::string_view thread_id;  // a shape alone is compact
  std::string_view a, b, c;    // TV layouts
  std::span<const MmaTypes> types;
  std::span<const std::string_view> suffixes;  // of CuTe's names: _TN, _TN_SATURATE
  std::span<const int> n_sizes = {};           // of wgmma, which has many
  std::string_view cute_a = {}, cute_b = {};   // what CuTe has instead, where it is wrong
};

// One instruction of a family.
struct MmaRecord {
  const MmaFamily* family;
  MmaTypes types;
  std::string_view suffix;
  int n;
  bool a_in_registers;
};

[[nodiscard]] std::span<const MmaFamily> universal_mma();
[[nodiscard]] std::span<const MmaFamily> sm70_mma();
[[nodiscard]] std::span<const MmaFamily> sm75_mma();
[[nodiscard]] std::span<const MmaFamily> sm80_mma();
[[nodiscard]] std::span<const MmaFamily> sm89_mma();
[[nodiscard]] std::span<const MmaFamily> sm90_mma();

// All instructions of all families, in the order of their architecture.
[[nodiscard]] const std::vector<MmaRecord>& mma_records();

[[nodiscard]] std::string name_of(const MmaRecord& record);
[[nodiscard]] std::string ptx_of(const MmaRecord& record);
[[nodiscard]] MmaAtom build(const MmaRecord& record);

struct CopyRecord {
  std::string name;
  std::string ptx;
  int sm;
  CopyKind kind;
  std::string thread_id;
  std::string source_bits, destination_bits;
  std::string_view source;
};

[[nodiscard]] const std::vector<CopyRecord>& copy_records();
[[nodiscard]] CopyAtom build(const CopyRecord& record);

// CuTe's name of an element type: as in its atoms' names (`F16`, `U1`), and in C++ (`half_t`).
[[nodiscard]] std::string_view cute_name(ElementType type);
[[nodiscard]] std::string_view cpp_name(ElementType type);

}  // namespace tileloom::hw
