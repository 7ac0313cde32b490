// SPDX-License-Identifier: Apache-2.0
// mma.sync: its operands, and what it makes of them.
#include <algorithm>

#include "emu/follow/follower.hpp"
#include "emu/isa/matrix_maps.hpp"

namespace tileloom::emu {
namespace {

// A sum's name: 1 + (((mma * 32 + warp) * 4 + value) * 32 + lane).
constexpr std::uint32_t warps_most = 32, values_most = 4;

Name name_of_sum(std::uint32_t mma, std::uint32_t warp, unsigned value, unsigned lane) {
  return 1 + ((mma * warps_most + warp) * values_most + value) * lanes + lane;
}

}  // namespace

SumPlace Provenance::sum(Name name, std::uint64_t cta) {
  const std::uint32_t n = name - 1;
  SumPlace s;
  s.cta = cta;
  s.lane = n % lanes;
  s.value = static_cast<int>(n / lanes % values_most);
  s.warp = n / lanes / values_most % warps_most;
  s.mma = n / lanes / values_most / warps_most;
  return s;
}

BufferElement Provenance::element(Name name) const {
  const auto after = std::ranges::find_if(buffers, [&](const Named& b) { return b.first > name; });
  const Named& buffer = *(after - 1);
  return {buffer.buffer, 2 * std::uint64_t{name - buffer.first}};
}

// list: d registers; a, b and c registers.
void Follower::note_operands(const Warp& w, const Op& op, unsigned c_registers) {
  const Slot* from = w.list(op) + c_registers;
  for (unsigned r = 0; r < 6; ++r) {
    const Source names = read(from[r]);
    if (!names.any) continue;
    const bool is_a = r < 4;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (unsigned h = 0; h < 2; ++h) {
        const HalfName half{is_a ? HalfName::Of::a : HalfName::Of::b, static_cast<std::uint8_t>(is_a ? r : r - 4),
                            static_cast<std::uint8_t>(16 * h), static_cast<std::uint8_t>(16 * h + 15)};
        note(MoveKind::operand, lane, lane, names.at(lane, h), half, nullptr, nullptr);
      }
    }
  }
}

// A result is derived where a factor of its row or column is, or the sum that is added.
void Follower::multiply(const Warp& w, const Op& op, const Action& action) {
  const unsigned c_registers = op.list_writes;
  const Slot* d = w.list(op);
  const Slot* from = d + c_registers;
  bool any = false;
  for (unsigned i = 0; i < op.list_reads; ++i) any |= frame_->find(from[i]) != nullptr;
  if (!any && !options_.sums) return clear(w, op);
  const bool f32 = c_registers == 4;
  const auto value_of = [&](unsigned r, unsigned h) { return f32 ? r : 2 * r + h; };
  if (options_.sums) {
    const std::optional<SumPlace>& only = options_.sum;
    const bool here = !only || (only->cta == cta_number_ && only->warp == w.index && only->mma == action.number);
    for (unsigned r = 0; r < c_registers; ++r) {
      frame_->write(d[r], w.exec, [&](unsigned lane, unsigned h) {
        const unsigned value = value_of(r, h);
        const bool wanted = here && (!only || (only->lane == lane && only->value == static_cast<int>(value)));
        return wanted ? name_of_sum(action.number, w.index, value, lane) : 0;
      });
    }
    return;
  }
  note_operands(w, op, c_registers);
  if (!derives_) return clear(w, op);
  const MmaIndex& index = mma_index();
  std::array<bool, MmaIndex::m> row{};
  std::array<bool, MmaIndex::n> column{};
  bool exact = false;
  for (unsigned r = 0; r < 6; ++r) {
    const Source names = read(from[r]);
    for (unsigned lane = 0; lane < lanes && names.any; ++lane) {
      const Name low = names.at(lane, 0);
      const Name high = names.at(lane, 1);
      if ((low | high) == 0) continue;
      exact |= is_followed(low) || is_followed(high);
      constexpr unsigned pairs = MmaIndex::k / 2;
      r < 4 ? row[index.a[r][lane] / pairs] = true : column[index.b[r - 4][lane] / pairs] = true;
    }
  }
  std::uint32_t lanes_fed = 0;
  std::uint32_t values_fed = 0;
  std::array<Source, 4> added;
  for (unsigned r = 0; r < c_registers; ++r) added[r] = read(from[6 + r]);
  for (unsigned r = 0; r < c_registers; ++r) {
    frame_->write(d[r], w.exec, [&](unsigned lane, unsigned h) {
      const unsigned value = value_of(r, h);
      const unsigned p = index.c[value][lane];
      const bool fed = row[p / MmaIndex::n] || column[p % MmaIndex::n];
      lanes_fed |= std::uint32_t{fed} << lane;
      values_fed |= std::uint32_t{fed} << value;
      return derived(fed || added[r].at(lane, h) != 0);
    });
  }
  if (exact) log_.add_sums(op_, cta_number_, w.index, lanes_fed, values_fed);
}

}  // namespace tileloom::emu
