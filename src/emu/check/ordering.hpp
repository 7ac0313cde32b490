// SPDX-License-Identifier: Apache-2.0
// What happens before what in one CTA: vector clocks.
//
// Each thread has two components: its own program order, counted by its warp's clock, and its asynchronous copies,
// counted by their group. A thread's knowledge says up to which count it has heard of each component. Threads that left
// the same barrier share one knowledge, so that a barrier costs one clock and not one a thread.
//
//   barrier                    all who arrive tell all who wait
//   bar.warp.sync              the members tell each other; other warp-wide instructions order nothing
//   cp.async                   its write begins after what its thread knows and does; only a wait of that thread tells
//                              that it has ended
//   atomic at an address       hears what earlier atomics at the address told, and tells what its thread knows
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emu/machine/cta.hpp"

namespace tileloom::emu {

// One access of one or several lanes that did the same.
struct AccessRecord {
  std::uint32_t epoch = 0;  // the warp's clock, or of a copy its group + 1
  std::uint32_t op = 0;
  std::uint32_t instant = 0;  // the same for lanes that ran the instruction together
  std::uint32_t lanes = 0;
  std::uint16_t bytes = 0;  // mask of a granule's bytes
  std::uint8_t warp = 0;
  bool reads = false, writes = false;
  bool atomic = false;
  bool copy = false;
};

class Ordering {
 public:
  void start(std::uint32_t warps);  // a new CTA

  [[nodiscard]] std::uint32_t clock(std::uint32_t warp) const { return clock_[warp]; }
  // The lanes of an earlier access which the thread's next access, or a copy that it starts, does not follow.
  [[nodiscard]] std::uint32_t unordered(const AccessRecord& earlier, std::uint32_t warp, unsigned lane) const;
  // Whether the lane's copies up to the group have completed for the lane itself.
  [[nodiscard]] bool waited(std::uint32_t warp, unsigned lane, std::uint32_t epoch) const {
    return done_[warp * lanes + lane] >= epoch;
  }

  void wait_copies(std::uint32_t warp, unsigned lane, std::uint32_t groups);  // the first `groups` are complete
  void sync_lanes(std::uint32_t warp, std::uint32_t mask);
  void arrive(std::uint32_t warp, std::uint32_t mask, std::uint32_t barrier, bool waits);
  void complete(std::uint32_t barrier);
  // Lanes of one atomic instruction call this one after the other, then tick once.
  void atomic(std::uint32_t warp, unsigned lane, std::uint64_t address);
  void tick(std::uint32_t warp) { ++clock_[warp]; }

 private:
  using Knowledge = std::vector<std::uint32_t>;
  using SharedKnowledge = std::shared_ptr<const Knowledge>;

  struct Meeting {
    std::shared_ptr<Knowledge> told;
    const Knowledge* last = nullptr;  // joined before: threads mostly share theirs
    std::vector<std::uint32_t> waiting;
  };

  void tell(Meeting& meeting, std::uint32_t warp, std::uint32_t mask) const;

  std::uint32_t threads_ = 0;
  std::vector<std::uint32_t> clock_;    // by warp
  std::vector<std::uint32_t> done_;     // by thread: complete copy groups
  std::vector<SharedKnowledge> knows_;  // by thread
  std::array<Meeting, Cta::barrier_count> barriers_;
  std::unordered_map<std::uint64_t, SharedKnowledge> atomics_;
};

}  // namespace tileloom::emu
