// SPDX-License-Identifier: Apache-2.0
#include "emu/check/race_checker.hpp"

#include <algorithm>
#include <bit>

#include "emu/isa/access.hpp"
#include "emu/machine/barrier_mode.hpp"

namespace tileloom::emu {
namespace {

// The offset into shared memory that an address of the op's space means; past every shared memory where it means none.
std::uint64_t shared_offset(const Op& op, std::uint64_t address) {
  if (op.space == ptx::Space::shared) return address;
  return region_of(address) == shared_region ? address - region_base(shared_region) : ~std::uint64_t{0};
}

AccessVerb verb_of(const AccessRecord& record) {
  if (record.copy) return AccessVerb::copy;
  if (!record.writes) return AccessVerb::read;
  return record.reads ? AccessVerb::update : AccessVerb::write;
}

Hazard hazard_of(const AccessRecord& earlier, const AccessRecord& now) {
  if (!earlier.writes) return Hazard::write_after_read;
  return now.writes && !now.reads ? Hazard::write_after_write : Hazard::read_after_write;
}

Racer racer(const AccessRecord& record, unsigned lane) {
  return {verb_of(record), record.op, record.warp, lane};
}

// Lanes whose addresses ldmatrix or stmatrix takes: eight rows a matrix.
std::uint32_t row_givers(const Op& op) {
  const unsigned rows = 8U * std::max(op.list_reads, op.list_writes);
  return rows >= lanes ? all_lanes : (1U << rows) - 1;
}

void set_kind(AccessRecord& record, const Op& op) {
  record.writes = op.list_reads != 0 || op.b.used();
  record.reads = !record.writes || op.list_writes != 0 || op.d.used();
}

}  // namespace

void RaceChecker::start_cta(const Cta& cta, std::uint64_t number) {
  cta_ = number;
  order_.start(static_cast<std::uint32_t>(cta.warps.size()));
  shadow_.clear();
  std::ranges::fill(written_, std::uint16_t{0});
}

void RaceChecker::after(const Warp& w, const Op&, std::uint32_t at) {
  if (sites_[at] == Site::warp_barrier) order_.sync_lanes(w.index, w.exec);
}

void RaceChecker::observe(const Warp& w, const Op& op, std::uint32_t at) {
  AccessRecord record;
  record.op = at;
  record.instant = static_cast<std::uint32_t>(w.instructions);
  record.warp = static_cast<std::uint8_t>(w.index);
  record.epoch = order_.clock(w.index);
  set_kind(record, op);
  switch (sites_[at]) {
    case Site::load:
    case Site::store:
      access_lanes(w, op, record, w.exec, op.bytes);
      break;
    case Site::load_matrix:
    case Site::store_matrix:
      access_lanes(w, op, record, row_givers(op), op.bytes);
      break;
    case Site::atomic:
      access_atomically(w, op, record);
      break;
    case Site::copy:
      start_copy(w, op, record);
      break;
    case Site::wait_group:
      for_lanes(w.exec, [&](unsigned lane) {
        const std::uint64_t open = w.copy_group[lane];
        const auto pending = static_cast<std::uint64_t>(op.imm);
        if (open > pending) order_.wait_copies(w.index, lane, static_cast<std::uint32_t>(open - pending));
      });
      break;
    case Site::wait_all:
      for_lanes(w.exec, [&](unsigned lane) { order_.wait_copies(w.index, lane, w.copy_group[lane] + 1); });
      break;
    case Site::cta_barrier: {
      const std::uint32_t barrier = w.reg<std::uint32_t>(op.a)[std::countr_zero(w.exec)];
      const bool waits = BarrierMode::unpack(op.mode).action != BarrierMode::arrive;
      if (barrier < Cta::barrier_count) order_.arrive(w.index, w.exec, barrier, waits);
      break;
    }
    default:
      break;
  }
}

void RaceChecker::access_lanes(const Warp& w, const Op& op, AccessRecord record, std::uint32_t mask,
                               std::uint32_t bytes) {
  alignas(64) std::array<std::uint64_t, lanes> at;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  for_lanes(mask, [&](unsigned lane) { access(record, lane, shared_offset(op, at[lane]), bytes); });
}

void RaceChecker::access_atomically(const Warp& w, const Op& op, AccessRecord record) {
  alignas(64) std::array<std::uint64_t, lanes> at;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  record.atomic = true;
  for_lanes(w.exec, [&](unsigned lane) {
    const std::uint64_t offset = shared_offset(op, at[lane]);
    // One name for a shared byte, whichever space the instruction is in.
    order_.atomic(w.index, lane, offset < shared_bytes_ ? region_base(shared_region) + offset : at[lane]);
    access(record, lane, offset, op.bytes);
  });
  order_.tick(w.index);
}

void RaceChecker::start_copy(const Warp& w, const Op& op, AccessRecord record) {
  alignas(64) std::array<std::uint64_t, lanes> at;
  lane_addresses(w, op.a, op.narrow_address, static_cast<std::int32_t>(op.imm), at.data());
  record.copy = record.writes = true;
  record.reads = false;
  for_lanes(w.exec, [&](unsigned lane) {
    record.epoch = w.copy_group[lane] + 1;
    access(record, lane, at[lane], op.bytes);
  });
}

// An access out of bounds is an error that the instruction itself raises.
void RaceChecker::access(AccessRecord record, unsigned lane, std::uint64_t address, std::uint32_t bytes) {
  if (address >= shared_bytes_ || shared_bytes_ - address < bytes) return;
  record.lanes = 1U << lane;
  constexpr std::uint32_t size = SharedShadow::granule_bytes;
  for (std::uint32_t done = 0; done < bytes;) {
    const auto begin = static_cast<std::uint32_t>((address + done) % size);
    const std::uint32_t count = std::min(size - begin, bytes - done);
    const auto granule = static_cast<std::uint32_t>((address + done) / size);
    record.bytes = static_cast<std::uint16_t>(((1U << count) - 1) << begin);
    track_initialised(record, lane, granule);
    shadow_.access(granule, record, lane, order_, [&](const AccessRecord& earlier, std::uint32_t missing) {
      report(earlier, missing, record, lane, granule);
    });
    done += count;
  }
}

void RaceChecker::track_initialised(const AccessRecord& record, unsigned lane, std::uint32_t granule) {
  const auto missing = static_cast<std::uint32_t>(record.bytes & ~written_[granule]);
  if (record.reads && missing != 0) {
    const std::uint32_t origin = granule * SharedShadow::granule_bytes;
    log_.add(EarlyRead{racer(record, lane), cta_, origin + static_cast<std::uint32_t>(std::countr_zero(missing)),
                       origin + static_cast<std::uint32_t>(std::bit_width(missing)) - 1});
  }
  if (record.writes) written_[granule] |= record.bytes;
}

Remedy RaceChecker::remedy(const AccessRecord& earlier, const Racer& first, const Racer& second) const {
  const bool same_warp = first.warp == second.warp;
  if (!earlier.copy) return same_warp ? Remedy::warp_barrier : Remedy::cta_barrier;
  if (same_warp && first.lane == second.lane) return Remedy::wait;
  return order_.waited(first.warp, first.lane, earlier.epoch) ? Remedy::barrier_after_wait : Remedy::wait_and_barrier;
}

void RaceChecker::report(const AccessRecord& earlier, std::uint32_t missing, const AccessRecord& now, unsigned lane,
                         std::uint32_t granule) {
  const auto common = static_cast<std::uint32_t>(earlier.bytes & now.bytes);
  const std::uint32_t origin = granule * SharedShadow::granule_bytes;
  Race race;
  race.hazard = hazard_of(earlier, now);
  race.first = racer(earlier, static_cast<unsigned>(std::countr_zero(missing)));
  race.second = racer(now, lane);
  race.cta = cta_;
  race.first_byte = origin + static_cast<std::uint32_t>(std::countr_zero(common));
  race.last_byte = origin + static_cast<std::uint32_t>(std::bit_width(common)) - 1;
  race.remedy = remedy(earlier, race.first, race.second);
  log_.add(race);
}

}  // namespace tileloom::emu
