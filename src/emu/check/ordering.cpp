// SPDX-License-Identifier: Apache-2.0
#include "emu/check/ordering.hpp"

#include <algorithm>

namespace tileloom::emu {

void Ordering::start(std::uint32_t warps, std::uint64_t cta) {
  cta_ = cta;
  threads_ = warps * lanes;
  clock_.assign(warps, 1);
  done_.assign(threads_, 0);
  knows_.assign(threads_, std::make_shared<const Knowledge>(2 * threads_, 0));
  foreign_.assign(threads_, nullptr);
  kept_.clear();
  barriers_ = {};
  fenced_.clear();
  told_.clear();
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
    if (foreign_[thread]) meeting.others = joined(meeting.others, foreign_[thread]);
  });
}

void Ordering::learn(std::uint32_t thread, const Told& told) {
  knows_[thread] = joined(knows_[thread], told.own);
  if (!told.others) return;
  foreign_[thread] = joined(foreign_[thread], told.others);
  kept_.push_back(foreign_[thread]);
}

void Ordering::sync_lanes(std::uint32_t warp, std::uint32_t mask) {
  Meeting meeting;
  tell(meeting, warp, mask);
  for_lanes(mask, [&](unsigned lane) { knows_[warp * lanes + lane] = meeting.told; });
  if (meeting.others) {
    for_lanes(mask, [&](unsigned lane) { learn(warp * lanes + lane, {nullptr, meeting.others}); });
  }
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
  for (const std::uint32_t thread : meeting.waiting) {
    knows_[thread] = told;
    if (meeting.others) learn(thread, {nullptr, meeting.others});
  }
  meeting = {};
}

Told Ordering::now(std::uint32_t warp, unsigned lane) const {
  Meeting meeting;
  tell(meeting, warp, 1U << lane);
  return {meeting.told, meeting.others};
}

// As another CTA keeps it.
SharedForeign Ordering::as_foreign(const Told& told) const {
  if (!told.own) return told.others;
  return joined(told.others, std::make_shared<const Foreign>(Foreign{{cta_, told.own}}));
}

void Ordering::fence(std::uint32_t warp, std::uint32_t mask, bool reaches_ctas) {
  for_lanes(mask, [&](unsigned lane) {
    Fenced& fenced = fenced_[warp * lanes + lane];
    learn(warp * lanes + lane, {fenced.heard.own, reaches_ctas ? fenced.heard.others : nullptr});
    fenced.heard.own = nullptr;
    if (reaches_ctas) fenced.heard.others = nullptr;
    fenced.cta = now(warp, lane);
    if (reaches_ctas) fenced.gpu = fenced.cta;
  });
  tick(warp);
}

void Ordering::before_strong(std::uint32_t warp, unsigned lane, const StrongAccess& access) {
  const std::uint32_t thread = warp * lanes + lane;
  Told& here = told_[access.address];
  if (access.reads) {
    if (access.acquires) {
      learn(thread, {here.own, nullptr});
    } else {
      SharedKnowledge& heard = fenced_[thread].heard.own;
      heard = joined(heard, here.own);
    }
  }
  if (!access.writes) return;
  const Fenced& fenced = fenced_[thread];
  const Told all = access.releases ? now(warp, lane) : fenced.cta;
  here.own = joined(here.own, all.own);
  if (access.reaches_ctas) publications_.publish(access.address, as_foreign(access.releases ? all : fenced.gpu));
}

void Ordering::after_strong(std::uint32_t warp, unsigned lane, const StrongAccess& access) {
  if (!access.reads || !access.reaches_ctas) return;
  const SharedForeign found = publications_.at(access.address);
  if (!found) return;
  const std::uint32_t thread = warp * lanes + lane;
  const auto own = found->find(cta_);
  const Told told{own == found->end() ? nullptr : own->second, found};
  if (access.acquires) {
    learn(thread, told);
  } else {
    Told& heard = fenced_[thread].heard;
    heard = joined(heard, told);
  }
}

}  // namespace tileloom::emu
