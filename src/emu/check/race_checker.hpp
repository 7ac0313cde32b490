// SPDX-License-Identifier: Apache-2.0
// The observer that finds races in shared memory. Lanes that run an instruction together are still threads of their
// own: only barriers, bar.warp.sync, waits and atomics order their accesses.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/check/ordering.hpp"
#include "emu/check/race_log.hpp"
#include "emu/check/shared_shadow.hpp"
#include "emu/check/site.hpp"
#include "emu/machine/cta.hpp"

namespace tileloom::emu {

class RaceChecker {
 public:
  RaceChecker(const std::vector<Site>& sites, std::uint32_t shared_bytes)
      : sites_(sites),
        shared_bytes_(shared_bytes),
        shadow_(shared_bytes),
        written_((shared_bytes + SharedShadow::granule_bytes - 1) / SharedShadow::granule_bytes) {}

  void start_cta(const Cta& cta, std::uint64_t number);
  [[nodiscard]] const RaceLog& log() const { return log_; }

  void before(const Warp& w, const Op& op, std::uint32_t at) {
    if (sites_[at] != Site::other) observe(w, op, at);
  }
  void after(const Warp& w, const Op& op, std::uint32_t at);
  void barrier_complete(std::uint32_t barrier) { order_.complete(barrier); }

 private:
  void observe(const Warp& w, const Op& op, std::uint32_t at);
  void access_lanes(const Warp& w, const Op& op, AccessRecord record, std::uint32_t mask, std::uint32_t bytes);
  void access_atomically(const Warp& w, const Op& op, AccessRecord record);
  void start_copy(const Warp& w, const Op& op, AccessRecord record);
  void access(AccessRecord record, unsigned lane, std::uint64_t address, std::uint32_t bytes);
  void report(const AccessRecord& earlier, std::uint32_t missing, const AccessRecord& now, unsigned lane,
              std::uint32_t granule);
  // Whether bytes of a granule that are read were never written; marks those that are written.
  void track_initialised(const AccessRecord& record, unsigned lane, std::uint32_t granule);
  [[nodiscard]] Remedy remedy(const AccessRecord& earlier, const Racer& first, const Racer& second) const;

  const std::vector<Site>& sites_;
  std::uint32_t shared_bytes_;
  std::uint64_t cta_ = 0;  // number
  Ordering order_;
  SharedShadow shadow_;
  std::vector<std::uint16_t> written_;  // by granule: mask of the bytes that this CTA has written or begun to copy to
  RaceLog log_;
};

}  // namespace tileloom::emu
