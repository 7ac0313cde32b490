// SPDX-License-Identifier: Apache-2.0
// What one CTA did to global memory, for its own checks and, once it has ended, for those between CTAs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emu/check/granule.hpp"
#include "emu/check/race_log.hpp"

namespace tileloom::emu {

class GlobalShadow {
 public:
  struct Granule {
    GranuleRecords records;
    std::uint16_t written = 0;  // mask of the bytes that this CTA has written
  };

  // A granule's number is its address over granule_bytes.
  [[nodiscard]] Granule& at(std::uint64_t granule) {
    const std::uint64_t number = granule / page_granules;
    if (last_ == nullptr || number != last_number_) {
      std::unique_ptr<Page>& page = pages_[number];
      if (!page) page = std::make_unique<Page>();
      last_ = page.get();
      last_number_ = number;
    }
    return (*last_)[granule % page_granules];
  }

  // Calls f(granule, its state) for each that was touched.
  template <class F>
  void for_touched(F f) const {
    for (const auto& [number, page] : pages_) {
      for (std::uint64_t i = 0; i < page_granules; ++i) {
        const Granule& g = (*page)[i];
        if (!g.records.empty()) f(number * page_granules + i, g);
      }
    }
  }

 private:
  static constexpr std::uint64_t page_granules = 64;
  using Page = std::array<Granule, page_granules>;

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;
  std::uint64_t last_number_ = 0;
};

// A read of global bytes that the CTA itself has not written, nor anybody before the launch.
struct EarlyGlobalRead {
  Racer reader;
  std::uint64_t granule = 0;
  std::uint16_t bytes = 0;  // mask
};

// All that other CTAs' checks need of one that has ended.
struct CtaTrace {
  std::uint64_t cta = 0;  // number
  GlobalShadow shadow;
  std::vector<SharedForeign> foreign;  // what the shadow's records point to
  std::vector<EarlyGlobalRead> early_reads;
};

}  // namespace tileloom::emu
