// SPDX-License-Identifier: Apache-2.0
// One operand of an instruction, or one end of a copy, as the calculator sees it: who holds which element, and where.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/atom_formula.hpp"
#include "tileloom/hw/instructions.hpp"
#include "tileloom/hw/lane_maps.hpp"

namespace tileloom::render {

enum class Keeper {
  registers,
  descriptor,  // shared memory that the whole warpgroup reads
  row,         // shared memory, a row of 128 bits at the address that a lane gives
  bytes,       // of one thread's copy, in whatever memory
};

struct AtomOperand {
  std::string atom;                   // name of the instruction
  std::string letter;                 // A, B, C, D; S, D of a copy
  std::string type;                   // f16; b16, b8 of a copy
  std::string row_name, column_name;  // m, k
  int rows = 0, columns = 0;
  Keeper keeper = Keeper::registers;
  int threads = 0;
  layout::Layout thread_id;
  layout::Layout tv;
  std::string register_letter;
  int register_bits = 0;
  int value_bits = 0;

  [[nodiscard]] std::string element(int row, int column) const;  // A(0,9)
};

struct AtomPlace {
  int row = 0, column = 0;
  int thread = 0, warp = 0, lane = 0;
  int group = 0;  // of the warp's independent groups, see lane_groups
  int value = 0;
  std::optional<hw::RegisterBits> registers;
  std::string where;  // a2[31:16]; bytes 2..3 of its row; byte 5
};

// `A`, `b`, ... of an mma; `S`, `source`, `D`, `destination` of a copy. Throws Error(bad_input).
[[nodiscard]] AtomOperand operand_of(const hw::AnyAtom& atom, std::string_view word);
// All of them, in the order of showing: A, B, C, D or S, D.
[[nodiscard]] std::vector<AtomOperand> operands_of(const hw::AnyAtom& atom);

// Throws Error(bad_input) where no thread holds elements: a descriptor's operand.
[[nodiscard]] hw::LaneMap map_of(const AtomOperand& operand);
[[nodiscard]] AtomPlace place_of(const AtomOperand& operand, const hw::LaneMap& map, hw::Holding holding);
// `group` moves the lane to another of a warp's groups.
[[nodiscard]] AtomPlace in_group(const AtomOperand& operand, AtomPlace place, int group);
// The first holder, in the first group. Precondition: the element is inside.
[[nodiscard]] AtomPlace find(const AtomOperand& operand, const hw::LaneMap& map, int row, int column);

// Lanes that give row addresses; the addresses of higher lanes are not read.
[[nodiscard]] inline int address_lanes(const AtomOperand& operand) {
  return operand.rows;
}

// The thread's name in formulas: `lane` in a warp, else `t`.
[[nodiscard]] std::string thread_name(const AtomOperand& operand);
[[nodiscard]] std::optional<LayoutFormulas> formulas_of(const AtomOperand& operand);
// How `t` and lanes go together: `t = 32*warp + lane`, `lane = t%4 + 16*(t/4) + 4*q`; empty where t is the lane.
[[nodiscard]] std::string thread_rule(const AtomOperand& operand);
// Distance of the lanes of one group from those of the next, and how many groups a warp has: quad pairs, 4 and 4.
struct LaneGroups {
  int count = 1, step = 0;
};
[[nodiscard]] LaneGroups lane_groups(const AtomOperand& operand);

}  // namespace tileloom::render
