// SPDX-License-Identifier: Apache-2.0
// What happens before what: vector clocks of one CTA's threads, and what they have heard of other CTAs.
//
// Each thread has two components: its own program order, counted by its warp's clock, and its asynchronous copies,
// counted by their group. A thread's knowledge says up to which count it has heard of each component. Threads that left
// the same barrier share one knowledge, so that a barrier costs one clock and not one a thread.
//
//   barrier                    all who arrive tell all who wait
//   bar.warp.sync              the members tell each other; other warp-wide instructions order nothing
//   cp.async                   its write begins after what its thread knows and does; only a wait of that thread tells
//                              that it has ended
//   strong write, or atomic    tells at its address what its thread knew at its last fence, or knows now where it is
//                              a release
//   strong read, or atomic     hears what was told at its address: at once where it is an acquire, else at the thread's
//                              next fence
//
// Fences and strong accesses have a scope: what is to reach another CTA needs gpu scope, or a wider one, on both sides.
// PTX ISA, "Memory Consistency Model".
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emu/check/access_record.hpp"
#include "emu/check/knowledge.hpp"
#include "emu/machine/cta.hpp"

namespace tileloom::emu {

// An atomic operation, or a load or store that is relaxed, acquire, release or volatile.
struct StrongAccess {
  std::uint64_t address = 0;
  bool reads = false, writes = false;
  bool acquires = false, releases = false;
  bool reaches_ctas = false;  // in global memory, of gpu scope or wider
};

class Ordering {
 public:
  explicit Ordering(Publications& publications) : publications_(publications) {}

  void start(std::uint32_t warps, std::uint64_t cta);  // a new CTA

  [[nodiscard]] std::uint32_t clock(std::uint32_t warp) const { return clock_[warp]; }
  // The lanes of an earlier access which the thread's next access, or a copy that it starts, does not follow.
  [[nodiscard]] std::uint32_t unordered(const AccessRecord& earlier, std::uint32_t warp, unsigned lane) const;
  // Whether the lane's copies up to the group have completed for the lane itself.
  [[nodiscard]] bool waited(std::uint32_t warp, unsigned lane, std::uint32_t epoch) const {
    return done_[warp * lanes + lane] >= epoch;
  }
  // Lives until take_foreign.
  [[nodiscard]] const Foreign* foreign(std::uint32_t warp, unsigned lane) const {
    return foreign_[warp * lanes + lane].get();
  }
  // Keeps what `foreign` returned since the start alive.
  [[nodiscard]] std::vector<SharedForeign> take_foreign() { return std::move(kept_); }

  void wait_copies(std::uint32_t warp, unsigned lane, std::uint32_t groups);  // the first `groups` are complete
  void sync_lanes(std::uint32_t warp, std::uint32_t mask);
  void arrive(std::uint32_t warp, std::uint32_t mask, std::uint32_t barrier, bool waits);
  void complete(std::uint32_t barrier);
  void fence(std::uint32_t warp, std::uint32_t mask, bool reaches_ctas);
  // Lanes of one instruction call these one after the other, then tick once: the first before it runs, the second
  // after it, so that whoever sees the value also hears what was told.
  void before_strong(std::uint32_t warp, unsigned lane, const StrongAccess& access);
  void after_strong(std::uint32_t warp, unsigned lane, const StrongAccess& access);
  void tick(std::uint32_t warp) { ++clock_[warp]; }

 private:
  struct Meeting {
    std::shared_ptr<Knowledge> told;
    SharedForeign others;
    const Knowledge* last = nullptr;  // joined before: threads mostly share theirs
    std::vector<std::uint32_t> waiting;
  };
  struct Fenced {
    Told cta, gpu;  // what the thread knew at its last fence of this scope or a wider one
    Told heard;     // at strong reads since then
  };

  void tell(Meeting& meeting, std::uint32_t warp, std::uint32_t mask) const;
  void learn(std::uint32_t thread, const Told& told);
  [[nodiscard]] Told now(std::uint32_t warp, unsigned lane) const;
  [[nodiscard]] SharedForeign as_foreign(const Told& told) const;

  Publications& publications_;
  std::uint64_t cta_ = 0;
  std::uint32_t threads_ = 0;
  std::vector<std::uint32_t> clock_;    // by warp
  std::vector<std::uint32_t> done_;     // by thread: complete copy groups
  std::vector<SharedKnowledge> knows_;  // by thread
  std::vector<SharedForeign> foreign_;  // by thread
  std::vector<SharedForeign> kept_;
  std::array<Meeting, Cta::barrier_count> barriers_;
  std::unordered_map<std::uint32_t, Fenced> fenced_;  // by thread, of those that fence or access strongly
  std::unordered_map<std::uint64_t, Told> told_;      // by address, within the CTA
};

}  // namespace tileloom::emu
