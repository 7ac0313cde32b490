// SPDX-License-Identifier: Apache-2.0
#include "emu/check/race_checker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emu/isa/access.hpp"
#include "emu/isa/async_copy.hpp"
#include "emu/isa/matrix_maps.hpp"
#include "emu/machine/barrier_mode.hpp"

namespace tileloom::emu {
namespace {

using ptx::Space;

void set_kind(AccessRecord& record, const Op& op) {
  record.writes = op.list_reads != 0 || op.b.used();
  record.reads = !record.writes || op.list_writes != 0 || op.d.used();
}

bool is_shared(Space space, std::uint64_t address) {
  return space == Space::shared || (space == Space::generic && region_of(address) == shared_region);
}

std::uint64_t shared_offset(Space space, std::uint64_t address) {
  return space == Space::shared ? address : address - region_base(shared_region);
}

// One value that a store takes from a lane, little-endian.
const std::byte* stored_element(const Warp& w, const Op& op, unsigned k, unsigned lane) {
  const Slot from = op.list_reads != 0 ? w.list(op)[k] : op.b;
  return w.reg<std::byte>(from) + std::size_t{op.mode} * lane;
}

}  // namespace

void RaceChecker::start_cta(const Cta& cta, std::uint64_t number) {
  cta_ = &cta;
  cta_number_ = number;
  region_ = nullptr;
  order_.start(static_cast<std::uint32_t>(cta.warps.size()), number);
  shared_.clear();
  global_ = {};
  early_reads_.clear();
  touched_global_ = false;
}

std::optional<CtaTrace> RaceChecker::take_trace() {
  if (!touched_global_) return std::nullopt;
  CtaTrace trace{cta_number_, std::move(global_), order_.take_foreign(), std::move(early_reads_)};
  global_ = {};
  early_reads_.clear();
  return trace;
}

void RaceChecker::observe(const Warp& w, const Op& op, std::uint32_t at) {
  using Kind = Site::Kind;
  const Site& site = sites_[at];
  AccessRecord record;
  record.op = at;
  record.instant = static_cast<std::uint32_t>(w.instructions);
  record.warp = static_cast<std::uint8_t>(w.index);
  record.epoch = order_.clock(w.index);
  set_kind(record, op);
  switch (site.kind) {
    case Kind::load:
    case Kind::store:
      return access_lanes(w, op, record, w.exec);
    case Kind::load_matrix:
    case Kind::store_matrix:
      return access_lanes(w, op, record, row_givers(op));
    case Kind::atomic:
      return access_atomically(w, op, record, site);
    case Kind::copy:
      return start_copy(w, op, record);
    case Kind::wait_group:
    case Kind::wait_all:
      return wait_copies(w, op, site);
    case Kind::cta_barrier:
      return arrive(w, op);
    default:
      return;
  }
}

void RaceChecker::observe_after(const Warp& w, const Op& op, std::uint32_t at) {
  const Site& site = sites_[at];
  switch (site.kind) {
    case Site::Kind::store:
      return compare_lanes(w, op, at);
    case Site::Kind::fence:
      return order_.fence(w.index, w.exec, !site.cta_scope);
    case Site::Kind::warp_barrier:
      return order_.sync_lanes(w.index, w.exec);
    case Site::Kind::atomic: {
      AccessRecord record;
      set_kind(record, op);
      for_lanes(w.exec,
                [&](unsigned lane) { order_.after_strong(w.index, lane, strong_access(op, record, site, at_[lane])); });
      return order_.tick(w.index);
    }
    default:
      return;
  }
}

void RaceChecker::wait_copies(const Warp& w, const Op& op, const Site& site) {
  const bool all = site.kind == Site::Kind::wait_all;
  for_lanes(w.exec, [&](unsigned lane) {
    const std::uint64_t open = std::uint64_t{w.copy_group[lane]} + (all ? 1 : 0);
    const auto pending = all ? 0 : static_cast<std::uint64_t>(op.imm);
    if (open > pending) order_.wait_copies(w.index, lane, static_cast<std::uint32_t>(open - pending));
  });
}

void RaceChecker::arrive(const Warp& w, const Op& op) {
  const std::uint32_t barrier = w.reg<std::uint32_t>(op.a)[std::countr_zero(w.exec)];
  const bool waits = BarrierMode::unpack(op.mode).action != BarrierMode::arrive;
  if (barrier < Cta::barrier_count) order_.arrive(w.index, w.exec, barrier, waits);
}

void RaceChecker::access_lanes(const Warp& w, const Op& op, const AccessRecord& record, std::uint32_t mask) {
  lane_addresses(w, op.a, op.narrow_address, op.imm, at_.data());
  for_lanes(mask, [&](unsigned lane) { access(record, lane, op.space, at_[lane], op.bytes); });
}

// One name for a shared byte, whichever space the instruction is in.
StrongAccess RaceChecker::strong_access(const Op& op, const AccessRecord& record, const Site& site,
                                        std::uint64_t address) const {
  StrongAccess made;
  const bool shared = is_shared(op.space, address);
  made.address = shared ? region_base(shared_region) + shared_offset(op.space, address) : address;
  made.reads = !record.writes || op.d.used();
  made.writes = record.writes;
  made.acquires = site.acquires;
  made.releases = site.releases;
  made.reaches_ctas = !shared && !site.cta_scope;
  return made;
}

// A reduction reads what it updates, though it hears nothing of it.
void RaceChecker::access_atomically(const Warp& w, const Op& op, AccessRecord record, const Site& site) {
  lane_addresses(w, op.a, op.narrow_address, op.imm, at_.data());
  record.atomic = true;
  record.reads |= op.c.used();
  record.cta_scope = site.cta_scope;
  for_lanes(w.exec, [&](unsigned lane) {
    order_.before_strong(w.index, lane, strong_access(op, record, site, at_[lane]));
    access(record, lane, op.space, at_[lane], op.bytes);
  });
}

void RaceChecker::start_copy(const Warp& w, const Op& op, AccessRecord record) {
  const CopyOperands operands = copy_operands(w, op);
  record.copy = true;
  for_lanes(w.exec, [&](unsigned lane) {
    record.epoch = w.copy_group[lane] + 1;
    record.reads = true;
    record.writes = false;
    access(record, lane, Space::global, operands.from[lane], operands.source_bytes[lane]);
    record.reads = false;
    record.writes = true;
    access(record, lane, Space::shared, operands.to[lane], op.bytes);
  });
}

// Nothing where no check is needed: an access out of bounds is an error that the instruction itself raises, and memory
// that no kernel may write does not race.
std::optional<RaceChecker::Target> RaceChecker::target(Space space, std::uint64_t address, std::uint32_t bytes) {
  if (is_shared(space, address)) {
    const std::uint64_t offset = shared_offset(space, address);
    if (offset >= shared_bytes_ || shared_bytes_ - offset < bytes) return std::nullopt;
    return Target{nullptr, offset};
  }
  if (region_ == nullptr || region_of(region_->base) != region_of(address)) region_ = cta_->find(address);
  if (region_ == nullptr || !region_->writable) return std::nullopt;
  const std::uint64_t offset = address - region_->base;
  if (offset >= region_->size || region_->size - offset < bytes) return std::nullopt;
  return Target{region_, address};
}

void RaceChecker::access(const AccessRecord& record, unsigned lane, Space space, std::uint64_t address,
                         std::uint32_t bytes) {
  if (const std::optional<Target> to = target(space, address, bytes)) access_target(record, lane, *to, bytes);
}

void RaceChecker::access_target(AccessRecord record, unsigned lane, const Target& target, std::uint32_t bytes) {
  record.lanes = 1U << lane;
  if (target.region != nullptr) {
    record.foreign = order_.foreign(record.warp, lane);
    touched_global_ = true;
  }
  for (std::uint32_t done = 0; done < bytes;) {
    const auto begin = static_cast<std::uint32_t>((target.address + done) % granule_bytes);
    const std::uint32_t count = std::min(granule_bytes - begin, bytes - done);
    const std::uint64_t number = (target.address + done) / granule_bytes;
    record.bytes = static_cast<std::uint16_t>(((1U << count) - 1) << begin);
    const auto race = [&](const AccessRecord& earlier, std::uint32_t missing) {
      report(earlier, missing, record, lane, bytes_in(target.region, number, earlier.bytes & record.bytes));
    };
    if (target.region == nullptr) {
      SharedShadow::Granule& granule = shared_.at(number);
      track_shared(granule, record, lane, number);
      access_granule(granule.records, record, lane, order_, race);
    } else {
      GlobalShadow::Granule& granule = global_.at(number);
      track_global(granule, record, lane, number, *target.region);
      access_granule(granule.records, record, lane, order_, race);
    }
    done += count;
  }
}

// Whether bytes that are read were never written; marks those that are written.
void RaceChecker::track_shared(SharedShadow::Granule& granule, const AccessRecord& record, unsigned lane,
                               std::uint64_t number) {
  const std::uint32_t missing = record.bytes & ~std::uint32_t{granule.written};
  if (record.reads && missing != 0) {
    log_.add(EarlyRead{racer(record, lane, cta_number_), bytes_in(nullptr, number, missing)});
  }
  if (record.writes) granule.written |= record.bytes;
}

void RaceChecker::track_global(GlobalShadow::Granule& granule, const AccessRecord& record, unsigned lane,
                               std::uint64_t number, const Region& region) {
  if (record.reads && region.written != nullptr) {
    const std::uint32_t before = region.written[number - region.base / granule_bytes];
    const std::uint32_t missing = record.bytes & ~(before | granule.written);
    if (missing != 0) {
      early_reads_.push_back({racer(record, lane, cta_number_), number, static_cast<std::uint16_t>(missing)});
    }
  }
  if (record.writes) granule.written |= record.bytes;
}

Remedy RaceChecker::remedy(const AccessRecord& earlier, const Racer& first, const Racer& second) const {
  const bool same_warp = first.warp == second.warp;
  if (!earlier.copy) return same_warp ? Remedy::warp_barrier : Remedy::cta_barrier;
  if (same_warp && first.lane == second.lane) return Remedy::wait;
  return order_.waited(first.warp, first.lane, earlier.epoch) ? Remedy::barrier_after_wait : Remedy::wait_and_barrier;
}

void RaceChecker::report(const AccessRecord& earlier, std::uint32_t missing, const AccessRecord& now, unsigned lane,
                         const Bytes& bytes) {
  Race race;
  race.hazard = hazard_of(earlier, now);
  race.first = racer(earlier, static_cast<unsigned>(std::countr_zero(missing)), cta_number_);
  race.second = racer(now, lane, cta_number_);
  race.bytes = bytes;
  race.remedy = remedy(earlier, race.first, race.second);
  log_.add(race);
}

// The store has run: a lane whose value is not in memory now was overwritten by another lane.
void RaceChecker::compare_lanes(const Warp& w, const Op& op, std::uint32_t at) {
  const unsigned count = op.list_reads != 0 ? op.list_reads : 1;
  const std::uint32_t width = op.bytes / count;
  for_lanes(w.exec, [&](unsigned lane) {
    const std::optional<Target> to = target(op.space, at_[lane], op.bytes);
    if (!to) return;
    const std::byte* stored =
        to->region == nullptr ? cta_->shared.data + to->address : to->region->data + (to->address - to->region->base);
    for (unsigned k = 0; k < count; ++k) {
      const std::byte* value = stored_element(w, op, k, lane);
      if (std::memcmp(stored + k * width, value, width) == 0) continue;
      for (std::uint32_t b = 0; b < width; ++b) {
        if (stored[k * width + b] != value[b]) return report_lanes(w, op, at, lane, k * width + b);
      }
    }
  });
}

// `byte` of what the lane stored is another's now.
void RaceChecker::report_lanes(const Warp& w, const Op& op, std::uint32_t at, unsigned lane, std::uint32_t byte) {
  const std::uint64_t address = at_[lane] + byte;
  const std::uint32_t later = w.exec & ~((2U << lane) - 1);
  std::uint32_t winners = 0;
  for_lanes(later, [&](unsigned other) { winners |= std::uint32_t{address - at_[other] < op.bytes} << other; });
  if (winners == 0) return;  // a thread of another CTA wrote it: reported when both have ended
  AccessRecord record;
  record.op = at;
  record.warp = static_cast<std::uint8_t>(w.index);
  record.writes = true;
  Race race;
  race.hazard = Hazard::write_after_write;
  race.first = racer(record, lane, cta_number_);
  race.second = racer(record, static_cast<unsigned>(std::bit_width(winners)) - 1, cta_number_);
  const std::optional<Target> to = target(op.space, address, 1);
  race.bytes = bytes_in(to->region, to->address / granule_bytes, 1U << to->address % granule_bytes);
  race.remedy = Remedy::one_lane;
  log_.add(race);
}

}  // namespace tileloom::emu
