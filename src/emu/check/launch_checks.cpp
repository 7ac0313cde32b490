// SPDX-License-Identifier: Apache-2.0
#include "emu/check/launch_checks.hpp"

#include <algorithm>
#include <bit>

namespace tileloom::emu {
namespace {

constexpr std::size_t remembered = 8;              // accesses of the same bytes, of each kind
constexpr std::size_t max_early_reads = 1U << 20;  // of a launch; what is over is not counted

// Whether what races with b races with a too, of a third CTA that is ordered with neither.
bool stands_for(const AccessRecord& a, const AccessRecord& b) {
  return a.writes == b.writes && a.atomic == b.atomic && (b.bytes & ~a.bytes) == 0;
}

// Whether the thread of `later`, of another CTA, had heard of all of `earlier`.
bool had_heard(const AccessRecord& later, const AccessRecord& earlier, std::uint64_t cta) {
  if (later.foreign == nullptr) return false;
  const auto found = later.foreign->find(cta);
  if (found == later.foreign->end()) return false;
  const Knowledge& known = *found->second;
  const std::size_t begin = earlier.warp * lanes + (earlier.copy ? known.size() / 2 : 0);
  bool all = true;
  for_lanes(earlier.lanes, [&](unsigned lane) { all &= known[begin + lane] >= earlier.epoch; });
  return all;
}

}  // namespace

const Region* LaunchChecks::region_of_granule(std::uint64_t granule, std::uint32_t bytes) const {
  return find_region(launch_, granule * granule_bytes + static_cast<std::uint64_t>(std::countr_zero(bytes)));
}

void LaunchChecks::compare(const Access& earlier, const Access& now, std::uint64_t granule) {
  const AccessRecord& a = earlier.record;
  const AccessRecord& b = now.record;
  const std::uint32_t common = a.bytes & b.bytes;
  const bool exclusive = a.atomic && b.atomic && !a.cta_scope && !b.cta_scope;
  if (common == 0 || earlier.cta == now.cta || !(a.writes || b.writes) || exclusive) return;
  if (had_heard(b, a, earlier.cta) || had_heard(a, b, now.cta)) return;
  Race race;
  race.hazard = hazard_of(a, b);
  race.first = racer(a, static_cast<unsigned>(std::countr_zero(a.lanes)), earlier.cta);
  race.second = racer(b, static_cast<unsigned>(std::countr_zero(b.lanes)), now.cta);
  race.bytes = bytes_in(region_of_granule(granule, common), granule, common);
  race.remedy = a.atomic && b.atomic ? Remedy::wider_scope : Remedy::other_launch;
  log_.add(race);
}

void LaunchChecks::merge_granule(std::uint64_t number, const GlobalShadow::Granule& from, std::uint64_t cta) {
  Granule& to = granules_[number];
  to.written |= from.written;
  const std::size_t others = to.accesses.size();
  for (const AccessRecord& record : from.records) {
    const Access now{record, cta};
    std::size_t alike = 0;
    for (std::size_t i = 0; i < others; ++i) {
      compare(to.accesses[i], now, number);
      alike += stands_for(to.accesses[i].record, record) ? 1 : 0;
    }
    if (alike < remembered) to.accesses.push_back(now);
  }
}

void LaunchChecks::merge(const CtaTrace& trace) {
  trace.shadow.for_touched(
      [&](std::uint64_t granule, const GlobalShadow::Granule& g) { merge_granule(granule, g, trace.cta); });
  foreign_.insert(foreign_.end(), trace.foreign.begin(), trace.foreign.end());
  const std::size_t room = max_early_reads - early_reads_.size();
  for (std::size_t i = 0; i < std::min(room, trace.early_reads.size()); ++i) {
    early_reads_.push_back({trace.early_reads[i], trace.cta});
  }
}

void LaunchChecks::add(std::uint64_t ticket, std::optional<CtaTrace> trace) {
  const std::scoped_lock lock(mutex_);
  waiting_.emplace(ticket, std::move(trace));
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_ticket_;
       first = waiting_.erase(first)) {
    if (first->second) merge(*first->second);
    ++next_ticket_;
  }
}

void LaunchChecks::add(const RaceLog& log) {
  const std::scoped_lock lock(mutex_);
  log_.merge(log);
}

// A byte that another CTA writes has been reported as a race, or is ordered.
void LaunchChecks::report(const EarlyReadOfCta& early) {
  std::uint32_t missing = early.read.bytes;
  if (const auto found = granules_.find(early.read.granule); found != granules_.end()) {
    for (const Access& access : found->second.accesses) {
      if (access.record.writes && access.cta != early.cta) missing &= ~std::uint32_t{access.record.bytes};
    }
  }
  if (missing == 0) return;
  const Region* region = region_of_granule(early.read.granule, missing);
  log_.add(EarlyRead{early.read.reader, bytes_in(region, early.read.granule, missing)});
}

const RaceLog& LaunchChecks::finish() {
  for (const auto& [ticket, trace] : waiting_) {
    if (trace) merge(*trace);  // those after a CTA that failed
  }
  waiting_.clear();
  for (const EarlyReadOfCta& early : early_reads_) report(early);
  for (const auto& [number, granule] : granules_) {
    if (granule.written == 0) continue;
    const Region* region = region_of_granule(number, granule.written);
    if (region->written != nullptr) region->written[number - region->base / granule_bytes] |= granule.written;
  }
  return log_;
}

}  // namespace tileloom::emu
