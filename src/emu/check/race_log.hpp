// SPDX-License-Identifier: Apache-2.0
// Races and uninitialised reads found.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "emu/check/ordering.hpp"
#include "emu/machine/program.hpp"
#include "tileloom/emu/finding.hpp"

namespace tileloom::emu {

// An access as the log keeps it.
struct Racer {
  AccessVerb verb = AccessVerb::read;
  std::uint32_t op = 0;
  std::uint32_t warp = 0;
  unsigned lane = 0;
};

struct Race {
  Hazard hazard = Hazard::read_after_write;
  Racer first, second;
  std::uint64_t cta = 0;  // number
  std::uint32_t first_byte = 0, last_byte = 0;
  std::uint64_t occurrences = 1;
  Remedy remedy = Remedy::cta_barrier;
};

struct EarlyRead {
  Racer reader;
  std::uint64_t cta = 0;  // number
  std::uint32_t first_byte = 0, last_byte = 0;
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
  using Key = std::tuple<std::uint32_t, std::uint32_t, Hazard>;  // first and second op
  std::map<Key, Race> races_;
  std::map<std::uint32_t, EarlyRead> early_reads_;  // by op
};

}  // namespace tileloom::emu
