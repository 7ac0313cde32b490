// SPDX-License-Identifier: Apache-2.0
#include "emu/isa/matrix_maps.hpp"

#include <string>

namespace tileloom::emu {
namespace {

// `packed` values, neighbours along a row of the map, share an index.
template <std::size_t Registers>
void fill(std::array<std::array<std::uint8_t, lanes>, Registers>& index, const hw::LaneMap& map, int packed) {
  for (std::size_t r = 0; r < Registers; ++r) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const hw::MatrixPosition p = map.at(static_cast<int>(lane), packed * static_cast<int>(r));
      index[r][lane] = static_cast<std::uint8_t>((p.row * map.columns() + p.column) / packed);
    }
  }
}

}  // namespace

MmaIndex::MmaIndex() {
  const hw::MmaAtom& atom = hw::mma_atom("SM80_16x8x16_F32F16F16F32_TN");
  fill(a, hw::a_map(atom), 2);
  fill(b, hw::b_map(atom), 2);
  fill(c, hw::c_map(atom), 1);
}

const MmaIndex& mma_index() {
  static const MmaIndex index;
  return index;
}

MatrixMove::MatrixMove(const hw::CopyAtom& atom) {
  const hw::MatrixCopyMap map = hw::matrix_copy_map(atom);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (int v = 0; v < map.registers.values(); ++v) {
      const hw::MatrixPosition p = map.registers.at(static_cast<int>(lane), v);
      const int giver = map.shared.holders(p).front().thread;
      givers |= 1U << static_cast<unsigned>(giver);
      places[static_cast<std::size_t>(v / 2)][lane][static_cast<std::size_t>(v % 2)] = {
          static_cast<std::uint8_t>(giver), static_cast<std::uint8_t>(2 * p.column)};
    }
  }
}

const MatrixMove& matrix_move(MatrixDirection direction, unsigned matrices, bool transposed) {
  static const auto make = [](const char* instruction, int count, const char* trans) {
    return MatrixMove(hw::copy_atom(std::string(instruction) + ".sync.aligned.m8n8.x" + std::to_string(count) + trans +
                                    ".shared.b16"));
  };
  static const auto make_all = [](const char* instruction) {
    return std::array{make(instruction, 1, ""),       make(instruction, 2, ""),       make(instruction, 4, ""),
                      make(instruction, 1, ".trans"), make(instruction, 2, ".trans"), make(instruction, 4, ".trans")};
  };
  static const std::array loads = make_all("ldmatrix");
  static const std::array stores = make_all("stmatrix");
  return (direction == MatrixDirection::load ? loads : stores)[matrices / 2 + (transposed ? 3 : 0)];
}

std::uint32_t row_givers(const Op& op) {
  const bool stores = op.list_reads != 0;
  return matrix_move(stores ? MatrixDirection::store : MatrixDirection::load, stores ? op.list_reads : op.list_writes,
                     op.mode != 0)
      .givers;
}

}  // namespace tileloom::emu
