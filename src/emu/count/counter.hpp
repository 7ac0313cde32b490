// SPDX-License-Identifier: Apache-2.0
// The observer that counts. Prices are kept by pattern of addresses, so that a loop pays for each only once.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "emu/count/price.hpp"
#include "emu/machine/cta.hpp"
#include "emu/machine/program.hpp"
#include "tileloom/emu/counters.hpp"

namespace tileloom::emu {

// Sums of one op.
struct OpCount {
  std::uint64_t executions = 0, lanes = 0;
  Price price;
};

// What the counters of one launch's CTAs share.
class LaunchCounters {
 public:
  explicit LaunchCounters(const Program& program);

  [[nodiscard]] const std::vector<AccessForm>& forms() const { return forms_; }
  void add(const std::vector<OpCount>& counted);  // any thread may call
  [[nodiscard]] Counters finish() const;

 private:
  const Program& program_;
  std::vector<AccessForm> forms_;  // by op
  std::mutex mutex_;
  std::vector<OpCount> sums_;
};

class Counter {
 public:
  explicit Counter(LaunchCounters& launch)
      : launch_(launch), forms_(launch.forms().data()), counts_(launch.forms().size()), known_(counts_.size()) {}
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter() { deliver(); }

  void issued(std::uint32_t at, std::uint32_t exec) {
    OpCount& count = counts_[at];
    ++count.executions;
    count.lanes += exec == all_lanes ? lanes : static_cast<unsigned>(__builtin_popcount(exec));
  }
  void before(const Warp& w, const Op& op, std::uint32_t at) {
    if (forms_[at].access != AccessClass::none) access(w, op, at);
  }

 private:
  // A pattern that an op had, how often, and what it costs.
  struct Known {
    AccessPattern pattern;
    Price price;
    std::uint64_t times = 0;
  };
  struct KnownOfOp {
    std::vector<Known> all;
    std::size_t last = 0;
  };

  void access(const Warp& w, const Op& op, std::uint32_t at);
  void take_addresses(const Warp& w, const Op& op, const AccessForm& form);
  void take_copy(const Warp& w, const Op& op);
  void settle(std::uint32_t at, Known& known);
  void deliver();

  LaunchCounters& launch_;
  const AccessForm* forms_;
  std::vector<OpCount> counts_;
  std::vector<KnownOfOp> known_;
  AccessPattern now_;
};

}  // namespace tileloom::emu
