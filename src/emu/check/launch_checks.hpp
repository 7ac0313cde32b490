// SPDX-License-Identifier: Apache-2.0
// What the checkers of one launch's CTAs share, and the checks between CTAs.
//
// A CTA's accesses of global memory are compared with those of others when it has ended, in the order in which CTAs
// began: what is found does not depend on how host threads ran them. Of the accesses of the same bytes a few are
// remembered, of each of reads, writes and atomics: enough for every race of a launch without orders between CTAs.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emu/check/global_shadow.hpp"
#include "emu/check/site.hpp"
#include "emu/machine/cta.hpp"

namespace tileloom::emu {

class LaunchChecks {
 public:
  explicit LaunchChecks(const LaunchState& launch) : launch_(launch), sites_(find_sites(*launch.program)) {}

  [[nodiscard]] const std::vector<Site>& sites() const { return sites_; }
  [[nodiscard]] Publications& publications() { return publications_; }

  // The trace of the CTA that began as the `ticket`th, in any order; any thread may call. Nothing where it left none.
  void add(std::uint64_t ticket, std::optional<CtaTrace> trace);
  void add(const RaceLog& log);
  // Once all CTAs have ended: marks in the memory what they wrote, and gives all that was found.
  [[nodiscard]] const RaceLog& finish();

 private:
  struct Access {
    AccessRecord record;
    std::uint64_t cta = 0;
  };
  struct Granule {
    std::vector<Access> accesses;
    std::uint16_t written = 0;
  };
  struct EarlyReadOfCta {
    EarlyGlobalRead read;
    std::uint64_t cta = 0;
  };

  void merge(const CtaTrace& trace);
  void merge_granule(std::uint64_t number, const GlobalShadow::Granule& from, std::uint64_t cta);
  void compare(const Access& earlier, const Access& now, std::uint64_t granule);
  void report(const EarlyReadOfCta& early);
  [[nodiscard]] const Region* region_of_granule(std::uint64_t granule, std::uint32_t bytes) const;

  const LaunchState& launch_;
  std::vector<Site> sites_;
  Publications publications_;
  std::mutex mutex_;
  std::uint64_t next_ticket_ = 0;
  std::map<std::uint64_t, std::optional<CtaTrace>> waiting_;  // by ticket
  std::unordered_map<std::uint64_t, Granule> granules_;
  std::vector<SharedForeign> foreign_;
  std::vector<EarlyReadOfCta> early_reads_;
  RaceLog log_;
};

}  // namespace tileloom::emu
