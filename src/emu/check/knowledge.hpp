// SPDX-License-Identifier: Apache-2.0
// What threads have heard of each other: vector clocks, and how they travel between CTAs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tileloom::emu {

// Of one CTA: for each of its threads up to which count of its program order, then for each up to which group of its
// copies.
using Knowledge = std::vector<std::uint32_t>;
using SharedKnowledge = std::shared_ptr<const Knowledge>;

// Of other CTAs, by number. Null: nothing.
using Foreign = std::map<std::uint64_t, SharedKnowledge>;
using SharedForeign = std::shared_ptr<const Foreign>;

// What one thread tells another. Null parts: nothing.
struct Told {
  SharedKnowledge own;   // of the CTA of both
  SharedForeign others;  // of other CTAs
};

// Both; the very same object where one adds nothing to the other by identity.
[[nodiscard]] SharedKnowledge joined(const SharedKnowledge& a, const SharedKnowledge& b);
[[nodiscard]] SharedForeign joined(const SharedForeign& a, const SharedForeign& b);
[[nodiscard]] Told joined(const Told& a, const Told& b);

// What has been released at addresses of global memory, for every CTA of a launch. Any thread may call.
class Publications {
 public:
  void publish(std::uint64_t address, const SharedForeign& told);
  [[nodiscard]] SharedForeign at(std::uint64_t address) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, SharedForeign> told_;
};

}  // namespace tileloom::emu
