// SPDX-License-Identifier: Apache-2.0
// Loads, stores and copies: names between registers and memory.
#include <bit>

#include "emu/follow/follower.hpp"
#include "emu/isa/access.hpp"
#include "emu/isa/async_copy.hpp"
#include "emu/isa/matrix_maps.hpp"

namespace tileloom::emu {
namespace {

using ptx::Space;

HalfName half_of(bool vector, unsigned index, unsigned h) {
  return {vector ? HalfName::Of::vector : HalfName::Of::scalar, static_cast<std::uint8_t>(index),
          static_cast<std::uint8_t>(16 * h), static_cast<std::uint8_t>(16 * h + 15)};
}

Spot moved(const Spot& spot, std::uint64_t bytes) {
  return {spot.region, spot.byte + bytes};
}

}  // namespace

void Follower::load(const Warp& w, const Op& op) {
  Addresses at;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  std::array<std::optional<Spot>, lanes> spots;
  bool any = false;
  for_lanes(w.exec, [&](unsigned lane) {
    spots[lane] = memory_.find(*cta_, op.space, at[lane], op.bytes);
    if (spots[lane] && !memory_.may_have(*spots[lane], op.bytes)) spots[lane].reset();
    any |= spots[lane].has_value();
  });
  if (!any) return clear(w, op);
  const Slot* to = op.list_writes != 0 ? w.list(op) : &op.d;
  const unsigned count = op.list_writes != 0 ? op.list_writes : 1;
  const unsigned bytes = op.bytes / count;
  for (unsigned i = 0; i < count; ++i) {
    frame_->write(to[i], w.exec, [&](unsigned lane, unsigned h) {
      if (!spots[lane] || 2 * h + 2 > bytes) return Name{0};
      const Spot from = moved(*spots[lane], i * bytes + 2 * h);
      const Name name = memory_.get(from);
      note(MoveKind::load, lane, lane, name, half_of(count > 1, i, h), &from, nullptr);
      return name;
    });
  }
}

void Follower::store(const Warp& w, const Op& op) {
  const Slot* from = op.list_reads != 0 ? w.list(op) : &op.b;
  const unsigned count = op.list_reads != 0 ? op.list_reads : 1;
  const unsigned bytes = op.bytes / count;
  bool any = false;
  for (unsigned i = 0; i < count; ++i) any |= frame_->find(from[i]) != nullptr;
  Addresses at;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  std::array<Source, 8> names;
  for (unsigned i = 0; i < count && any; ++i) names[i] = read(from[i]);
  for_lanes(w.exec, [&](unsigned lane) {
    const std::optional<Spot> spot = memory_.find(*cta_, op.space, at[lane], op.bytes);
    if (!spot || (!any && !memory_.may_have(*spot, op.bytes))) return;
    if (bytes < 2) {  // a byte ends the element that it is part of
      for (unsigned b = 0; b < op.bytes; ++b) memory_.set({spot->region, (spot->byte + b) & ~std::uint64_t{1}}, 0);
      return;
    }
    for (unsigned half = 0; half < op.bytes / 2U; ++half) {
      const unsigned i = 2 * half / bytes;
      const unsigned h = half % (bytes / 2);
      const Name name = any ? names[i].at(lane, h) : 0;
      const Spot to = moved(*spot, 2 * half);
      memory_.set(to, name);
      if (name == 0) continue;
      note(MoveKind::store, lane, lane, name, half_of(count > 1, i, h), nullptr, &to);
      const bool wanted = !only_result_ || (to.region != nullptr && options_.element->buffer == to.region->label &&
                                            options_.element->byte == to.byte);
      if (to.region != nullptr && wanted) {
        log_.add_result(to, is_followed(name) ? name : 0, cta_number_, w.index, lane);
      }
    }
  });
}

void Follower::copy_async(const Warp& w, const Op& op) {
  const CopyOperands operands = copy_operands(w, op);
  for_lanes(w.exec, [&](unsigned lane) {
    const std::uint32_t count = operands.source_bytes[lane];
    const std::optional<Spot> to = memory_.find(*cta_, Space::shared, operands.to[lane], op.bytes);
    if (!to) return;
    std::optional<Spot> from;
    if (count != 0) from = memory_.find(*cta_, Space::global, operands.from[lane], count);
    if (from && !memory_.may_have(*from, count)) from.reset();
    if (!from && !memory_.may_have(*to, op.bytes)) return;
    for (unsigned b = 0; b + 2 <= op.bytes; b += 2) {
      const Spot source = from ? moved(*from, b) : Spot{};
      const Spot target = moved(*to, b);
      const Name name = from && b + 2 <= count ? memory_.get(source) : 0;
      memory_.set(target, name);
      note(MoveKind::copy, lane, lane, name, {}, &source, &target);
    }
  });
}

// ldmatrix and stmatrix.
void Follower::matrix(const Warp& w, const Op& op, bool loads) {
  const unsigned count = loads ? op.list_writes : op.list_reads;
  const MatrixMove& map = matrix_move(loads ? MatrixDirection::load : MatrixDirection::store, count, op.mode != 0);
  Addresses at;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  std::array<std::optional<Spot>, lanes> rows;
  bool any = false;
  for_lanes(map.givers, [&](unsigned lane) {
    rows[lane] = memory_.find(*cta_, op.space, at[lane], op.bytes);
    any |= rows[lane] && memory_.may_have(*rows[lane], op.bytes);
  });
  if (loads && !any) return clear(w, op);
  for (unsigned i = 0; i < count; ++i) {
    const Slot slot = w.list(op)[i];
    const auto spot_of = [&](unsigned lane, unsigned h) -> std::optional<Spot> {
      const HalfPlace p = map.places[i][lane][h];
      return rows[p.giver] ? std::optional(moved(*rows[p.giver], p.byte)) : std::nullopt;
    };
    if (loads) {
      frame_->write(slot, w.exec, [&](unsigned lane, unsigned h) {
        const std::optional<Spot> from = spot_of(lane, h);
        const Name name = from ? memory_.get(*from) : 0;
        if (name != 0) {
          note(MoveKind::load_matrix, lane, map.places[i][lane][h].giver, name, half_of(true, i, h), &*from, nullptr);
        }
        return name;
      });
      continue;
    }
    const Source names = read(slot);
    if (!names.any && !any) continue;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      for (unsigned h = 0; h < 2; ++h) {
        const std::optional<Spot> to = spot_of(lane, h);
        if (!to) continue;
        memory_.set(*to, names.at(lane, h));
        note(MoveKind::store_matrix, lane, map.places[i][lane][h].giver, names.at(lane, h), half_of(true, i, h),
             nullptr, &*to);
      }
    }
  }
}

}  // namespace tileloom::emu
