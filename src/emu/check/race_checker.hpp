// SPDX-License-Identifier: Apache-2.0
// The observer that finds races and uninitialised reads. Lanes that run an instruction together are still threads of
// their own: only barriers, bar.warp.sync, waits, fences and strong accesses order what they do to memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "emu/check/global_shadow.hpp"
#include "emu/check/launch_checks.hpp"
#include "emu/check/ordering.hpp"
#include "emu/check/race_log.hpp"
#include "emu/check/shared_shadow.hpp"
#include "emu/machine/cta.hpp"

namespace tileloom::emu {

class RaceChecker {
 public:
  RaceChecker(LaunchChecks& launch, std::uint32_t shared_bytes)
      : sites_(launch.sites()), shared_bytes_(shared_bytes), order_(launch.publications()), shared_(shared_bytes) {}

  void start_cta(const Cta& cta, std::uint64_t number);
  // What it did to global memory; the CTA has ended.
  [[nodiscard]] std::optional<CtaTrace> take_trace();
  [[nodiscard]] const RaceLog& log() const { return log_; }

  void issued(std::uint32_t, std::uint32_t) {}
  void before(const Warp& w, const Op& op, std::uint32_t at) {
    if (sites_[at].kind != Site::Kind::other) observe(w, op, at);
  }
  void after(const Warp& w, const Op& op, std::uint32_t at) {
    if (sites_[at].kind != Site::Kind::other) observe_after(w, op, at);
  }
  void barrier_complete(std::uint32_t barrier) { order_.complete(barrier); }

 private:
  using Addresses = std::array<std::uint64_t, lanes>;

  // Where an access goes: into shared memory, or into a region of global memory that kernels may write.
  struct Target {
    const Region* region = nullptr;  // null: shared memory
    std::uint64_t address = 0;       // shared: an offset
  };

  void observe(const Warp& w, const Op& op, std::uint32_t at);
  void observe_after(const Warp& w, const Op& op, std::uint32_t at);
  void access_lanes(const Warp& w, const Op& op, const AccessRecord& record, std::uint32_t mask);
  void access_atomically(const Warp& w, const Op& op, AccessRecord record, const Site& site);
  void start_copy(const Warp& w, const Op& op, AccessRecord record);
  void wait_copies(const Warp& w, const Op& op, const Site& site);
  void arrive(const Warp& w, const Op& op);
  [[nodiscard]] StrongAccess strong_access(const Op& op, const AccessRecord& record, const Site& site,
                                           std::uint64_t address) const;
  [[nodiscard]] std::optional<Target> target(ptx::Space space, std::uint64_t address, std::uint32_t bytes);
  void access(const AccessRecord& record, unsigned lane, ptx::Space space, std::uint64_t address, std::uint32_t bytes);
  void access_target(AccessRecord record, unsigned lane, const Target& target, std::uint32_t bytes);
  void report(const AccessRecord& earlier, std::uint32_t missing, const AccessRecord& now, unsigned lane,
              const Bytes& bytes);
  void track_shared(SharedShadow::Granule& granule, const AccessRecord& record, unsigned lane, std::uint64_t number);
  void track_global(GlobalShadow::Granule& granule, const AccessRecord& record, unsigned lane, std::uint64_t number,
                    const Region& region);
  [[nodiscard]] Remedy remedy(const AccessRecord& earlier, const Racer& first, const Racer& second) const;
  void compare_lanes(const Warp& w, const Op& op, std::uint32_t at);
  void report_lanes(const Warp& w, const Op& op, std::uint32_t at, unsigned lane, std::uint32_t byte);

  const std::vector<Site>& sites_;
  std::uint32_t shared_bytes_;
  std::uint64_t cta_number_ = 0;
  const Cta* cta_ = nullptr;
  const Region* region_ = nullptr;  // of the last global access
  Ordering order_;
  SharedShadow shared_;
  GlobalShadow global_;
  std::vector<EarlyGlobalRead> early_reads_;
  bool touched_global_ = false;
  Addresses at_{};  // of the store or atomic that runs
  RaceLog log_;
};

}  // namespace tileloom::emu
