// SPDX-License-Identifier: Apache-2.0
// Who accessed each byte of a CTA's shared memory last, and which bytes hold anything.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/check/granule.hpp"

namespace tileloom::emu {

class SharedShadow {
 public:
  struct Granule {
    GranuleRecords records;
    std::uint16_t written = 0;  // mask of the bytes that this CTA has written or begun to copy to
  };

  explicit SharedShadow(std::uint32_t bytes) : granules_((bytes + granule_bytes - 1) / granule_bytes) {}

  void clear() {
    for (Granule& g : granules_) {
      g.records.clear();
      g.written = 0;
    }
  }
  [[nodiscard]] Granule& at(std::uint64_t granule) { return granules_[granule]; }

 private:
  std::vector<Granule> granules_;
};

}  // namespace tileloom::emu
