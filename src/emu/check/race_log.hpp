// SPDX-License-Identifier: Apache-2.0
// Races and uninitialised reads found.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "emu/check/access_record.hpp"
#include "emu/machine/address.hpp"
#include "emu/machine/program.hpp"
#include "tileloom/emu/finding.hpp"

namespace tileloom::emu {

// An access as the log keeps it.
struct Racer {
  AccessVerb verb = AccessVerb::read;
  std::uint32_t op = 0;
  std::uint32_t warp = 0;
  unsigned lane = 0;
  std::uint64_t cta = 0;  // number
};

[[nodiscard]] Racer racer(const AccessRecord& record, unsigned lane, std::uint64_t cta);
[[nodiscard]] Hazard hazard_of(const AccessRecord& earlier, const AccessRecord& now);

// Bytes of shared memory, or of one region of global memory.
struct Bytes {
  const Region* region = nullptr;  // null: shared memory
  std::uint64_t first = 0, last = 0;

  [[nodiscard]] std::uint64_t base() const { return region == nullptr ? 0 : region->base; }
};
// Those of a granule that a mask names. `region`: null for shared memory.
[[nodiscard]] Bytes bytes_in(const Region* region, std::uint64_t granule, std::uint32_t mask);

struct Race {
  Hazard hazard = Hazard::read_after_write;
  Racer first, second;
  Bytes bytes;
  std::uint64_t occurrences = 1;
  Remedy remedy = Remedy::cta_barrier;
};

struct EarlyRead {
  Racer reader;
  Bytes bytes;
  std::uint64_t occurrences = 1;
};

class RaceLog {
 public:
  void add(const Race& race);
  void add(const EarlyRead& read);
  void merge(const RaceLog& other);
  // Each pair of source instructions once, in the order of the first PTX instructions.
  [[nodiscard]] std::vector<Finding> findings(const Program& program, const Dim3& grid) const;
  // Each source instruction once, likewise.
  [[nodiscard]] std::vector<UninitialisedRead> uninitialised_reads(const Program& program, const Dim3& grid) const;

 private:
  // First and second op; then what must not be told as one: hazard, the region's base, whether it is one store.
  using Key = std::tuple<std::uint32_t, std::uint32_t, Hazard, std::uint64_t, bool>;
  static Key key_of(const Race& race);

  std::map<Key, Race> races_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, EarlyRead> early_reads_;  // by op and the region's base
};

}  // namespace tileloom::emu
