// SPDX-License-Identifier: Apache-2.0
// Who accessed each byte of a CTA's shared memory last, as far as a later access can still race with it.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/check/ordering.hpp"

namespace tileloom::emu {

class SharedShadow {
 public:
  static constexpr std::uint32_t granule_bytes = 16;

  explicit SharedShadow(std::uint32_t bytes) : granules_((bytes + granule_bytes - 1) / granule_bytes) {}

  void clear() {
    for (Granule& g : granules_) g.clear();
  }

  // Records that one lane made `now` (which has that lane alone) in a granule. Calls `race(earlier, lanes)` for each
  // earlier access of the same bytes that conflicts with it, with the lanes of that access which nothing orders before.
  template <class Race>
  void access(std::uint32_t granule, const AccessRecord& now, unsigned lane, const Ordering& order, Race race) {
    Granule& records = granules_[granule];
    std::size_t kept = 0;
    bool recorded = false;
    for (std::size_t i = 0; i < records.size(); ++i) {
      AccessRecord earlier = records[i];
      const bool together = same_execution(earlier, now);
      if ((earlier.bytes & now.bytes) != 0 && !together) {
        const bool conflict = (earlier.writes || now.writes) && !(earlier.atomic && now.atomic);
        const bool replaces = now.writes || !earlier.writes;
        const std::uint32_t missing = conflict || replaces ? order.unordered(earlier, now.warp, lane) : 0;
        if (conflict && missing != 0) race(earlier, missing);
        // What races with the earlier access later also races with this one, or has been reported just now.
        if (replaces && (conflict || missing == 0)) {
          earlier.bytes &= static_cast<std::uint16_t>(~now.bytes);
        } else if (replaces && (earlier.bytes & ~now.bytes) == 0) {
          earlier.lanes = missing;
        }
      }
      if (together && earlier.bytes == now.bytes) {
        earlier.lanes |= now.lanes;
        recorded = true;
      }
      if (earlier.bytes != 0) records[kept++] = earlier;
    }
    records.resize(kept);
    if (!recorded) records.push_back(now);
  }

 private:
  using Granule = std::vector<AccessRecord>;

  // Lanes of one store that run it together and write one byte do not race here: one of them wins. Reads of one
  // instruction are one record as long as nobody has been told of them.
  static bool same_execution(const AccessRecord& a, const AccessRecord& b) {
    return a.op == b.op && a.warp == b.warp && a.epoch == b.epoch && !a.copy && (!a.writes || a.instant == b.instant);
  }

  std::vector<Granule> granules_;
};

}  // namespace tileloom::emu
