// SPDX-License-Identifier: Apache-2.0
// The accesses of one granule of memory that a later access of the same CTA can still race with.
#pragma once

#include <vector>

#include "emu/check/access_record.hpp"
#include "emu/check/ordering.hpp"

namespace tileloom::emu {

using GranuleRecords = std::vector<AccessRecord>;

// Lanes of one store that run it together and write one byte do not race here: one of them wins. Reads of one
// instruction are one record as long as nobody has been told of them.
inline bool same_execution(const AccessRecord& a, const AccessRecord& b) {
  return a.op == b.op && a.warp == b.warp && a.epoch == b.epoch && a.foreign == b.foreign && !a.copy &&
         (!a.writes || a.instant == b.instant);
}

// A copy's read of its source, again by the same instruction in a loop: what waits for the newer copy has waited for
// the older one, so the older tells nothing more.
inline bool repeats_copy(const AccessRecord& earlier, const AccessRecord& now) {
  return earlier.copy && now.copy && !earlier.writes && !now.writes && earlier.op == now.op &&
         earlier.warp == now.warp && earlier.lanes == now.lanes && earlier.foreign == now.foreign;
}

// Records that one lane made `now` (which has that lane alone). Calls `race(earlier, lanes)` for each earlier access of
// the same bytes that conflicts with it, with the lanes of that access which nothing orders before.
template <class Race>
void access_granule(GranuleRecords& records, const AccessRecord& now, unsigned lane, const Ordering& order, Race race) {
  std::size_t kept = 0;
  bool recorded = false;
  for (std::size_t i = 0; i < records.size(); ++i) {
    AccessRecord earlier = records[i];
    const bool together = same_execution(earlier, now);
    if (repeats_copy(earlier, now)) earlier.bytes &= static_cast<std::uint16_t>(~now.bytes);
    if ((earlier.bytes & now.bytes) != 0 && !together) {
      const bool conflict = (earlier.writes || now.writes) && !(earlier.atomic && now.atomic);
      // Another CTA may be ordered after what this thread did before it heard of that CTA, so both are kept then.
      const bool replaces = (now.writes || !earlier.writes) && earlier.foreign == now.foreign;
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

}  // namespace tileloom::emu
