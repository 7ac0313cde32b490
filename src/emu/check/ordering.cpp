// SPDX-License-Identifier: Apache-2.0
#include "emu/check/ordering.hpp"

#include <algorithm>

namespace tileloom::emu {

void Ordering::start(std::uint32_t warps) {
  threads_ = warps * lanes;
  clock_.assign(warps, 1);
  done_.assign(threads_, 0);
  knows_.assign(threads_, std::make_shared<const Knowledge>(2 * threads_, 0));
  barriers_ = {};
  atomics_.clear();
}

std::uint32_t Ordering::unordered(const AccessRecord& earlier, std::uint32_t warp, unsigned lane) const {
  const std::uint32_t* known =
      knows_[warp * lanes + lane]->data() + earlier.warp * lanes + (earlier.copy ? threads_ : 0);
  std::uint32_t missing = 0;
  for_lanes(earlier.lanes, [&](unsigned other) { missing |= std::uint32_t{known[other] < earlier.epoch} << other; });
  const bool own = earlier.warp == warp && (missing >> lane & 1) != 0;
  if (own && (!earlier.copy || waited(warp, lane, earlier.epoch))) missing &= ~(1U << lane);
  return missing;
}

void Ordering::wait_copies(std::uint32_t warp, unsigned lane, std::uint32_t groups) {
  std::uint32_t& done = done_[warp * lanes + lane];
  done = std::max(done, groups);
}

// Adds what the lanes know and have done up to now.
void Ordering::tell(Meeting& meeting, std::uint32_t warp, std::uint32_t mask) const {
  for_lanes(mask, [&](unsigned lane) {
    const std::uint32_t thread = warp * lanes + lane;
    const Knowledge& mine = *knows_[thread];
    if (!meeting.told) {
      meeting.told = std::make_shared<Knowledge>(mine);
    } else if (&mine != meeting.last) {
      Knowledge& all = *meeting.told;
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], mine[i]);
    }
    meeting.last = &mine;
    std::uint32_t& own = (*meeting.told)[thread];
    own = std::max(own, clock_[warp]);
    std::uint32_t& copies = (*meeting.told)[threads_ + thread];
    copies = std::max(copies, done_[thread]);
  });
}

void Ordering::sync_lanes(std::uint32_t warp, std::uint32_t mask) {
  Meeting meeting;
  tell(meeting, warp, mask);
  for_lanes(mask, [&](unsigned lane) { knows_[warp * lanes + lane] = meeting.told; });
  tick(warp);
}

void Ordering::arrive(std::uint32_t warp, std::uint32_t mask, std::uint32_t barrier, bool waits) {
  Meeting& meeting = barriers_[barrier];
  tell(meeting, warp, mask);
  meeting.last = nullptr;  // what it points to may be gone before the next arrival
  if (waits) for_lanes(mask, [&](unsigned lane) { meeting.waiting.push_back(warp * lanes + lane); });
  tick(warp);
}

void Ordering::complete(std::uint32_t barrier) {
  Meeting& meeting = barriers_[barrier];
  const SharedKnowledge told = std::move(meeting.told);
  for (const std::uint32_t thread : meeting.waiting) knows_[thread] = told;
  meeting = {};
}

void Ordering::atomic(std::uint32_t warp, unsigned lane, std::uint64_t address) {
  const std::uint32_t thread = warp * lanes + lane;
  Meeting meeting;
  SharedKnowledge& before = atomics_[address];
  if (before) meeting.told = std::make_shared<Knowledge>(*before);
  tell(meeting, warp, 1U << lane);
  before = meeting.told;
  knows_[thread] = before;
}

}  // namespace tileloom::emu
