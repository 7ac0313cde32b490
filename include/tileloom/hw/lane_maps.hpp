// SPDX-License-Identifier: Apache-2.0
// Who holds which element: the thread-value layouts of hw/instructions, evaluated once into arrays.
//
//   const LaneMap a = a_map(mma_atom("SM80_16x8x16_F16F16F16F16_TN"));
//   a.at(0, 5)          // {0, 9}: value 5 of lane 0 is A(0,9)
//   a.holders({0, 9})   // {{thread 0, value 5}}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/hw/instructions.hpp"

namespace tileloom::hw {

// Row and column of an element: (m,k) in A, (n,k) in B, (m,n) in C and D.
struct MatrixPosition {
  int row = 0;
  int column = 0;
  bool operator==(const MatrixPosition&) const = default;
};

// A value of a logical thread: of a warp its lane, of a warpgroup 32 * warp + lane, of a quad pair 0 to 7.
struct Holding {
  int thread = 0;
  int value = 0;
  bool operator==(const Holding&) const = default;
};

class LaneMap {
 public:
  // `tv` maps (thread, value) into rows * columns elements, counted down the first column first.
  LaneMap(const layout::Layout& tv, int rows, int columns);

  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] int values() const { return static_cast<int>(elements_.size()) / threads_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }

  // Preconditions: 0 <= thread < threads(), 0 <= value < values().
  [[nodiscard]] MatrixPosition at(int thread, int value) const {
    const int i = thread + threads_ * value;
    const auto e = static_cast<int>(elements_[static_cast<std::size_t>(i)]);
    return {e % rows_, e / rows_};
  }
  // Of equal values first the lower threads; one for each element of mma.sync, every thread of the warpgroup where
  // wgmma reads shared memory. Precondition: the position is inside.
  [[nodiscard]] std::span<const Holding> holders(MatrixPosition p) const;

 private:
  int threads_ = 0, rows_ = 0, columns_ = 0;
  std::vector<std::uint32_t> elements_;  // by thread + threads * value
  std::vector<std::uint32_t> first_;     // by element: where its holders begin
  std::vector<Holding> holdings_;        // grouped by element
};

[[nodiscard]] LaneMap a_map(const MmaAtom& atom);
[[nodiscard]] LaneMap b_map(const MmaAtom& atom);
[[nodiscard]] LaneMap c_map(const MmaAtom& atom);  // of C and D

// A value's register and bits, as PTX names them: `a2[31:16]`, or `d5` where it fills its register.
struct RegisterBits {
  std::string name;  // a2
  int low = 0, high = 0;
  bool whole = false;
};
// Registers of `width` bits named `letter`0, `letter`1, ..., filled with values from the lowest bits up.
[[nodiscard]] RegisterBits register_bits(std::string_view letter, int width, int value_bits, int value);
// Precondition: the operand is in registers, 0 <= value < operand.values.
[[nodiscard]] RegisterBits register_bits(const MmaOperand& operand, int value);
[[nodiscard]] std::string to_string(const RegisterBits& bits);

// One end of a copy in units (CopyAtom::unit_bits): (thread, unit) -> row + rows * unit in the row. Of ldmatrix and
// stmatrix a row is 128 bits, eight units, and matrix i has the rows 8i to 8i + 7; other copies have one row.
struct CopyEnd {
  layout::Layout tv;
  int rows = 0, columns = 0;
};
// Throw Error(bad_input) for an automatic copy, which has no block.
[[nodiscard]] CopyEnd source_end(const CopyAtom& atom);
[[nodiscard]] CopyEnd destination_end(const CopyAtom& atom);

// ldmatrix and stmatrix.
struct MatrixCopyMap {
  LaneMap shared;  // (lane, unit) -> (row, unit): whose address gives the row. Lanes that are not read repeat others.
  LaneMap registers;  // (lane, 2 * register + half) -> (row, unit)
};
// Throws Error(bad_input) for an atom of another kind.
[[nodiscard]] MatrixCopyMap matrix_copy_map(const CopyAtom& atom);

}  // namespace tileloom::hw
