// SPDX-License-Identifier: Apache-2.0
// The checks, one a property. Each adds at least one line to `out` where it applies to the kernel.
#pragma once

#include <string>
#include <vector>

#include "tileloom/hw/limits.hpp"
#include "tileloom/trace/check.hpp"

namespace tileloom::trace {

using Properties = std::vector<Property>;

// accesses.cpp: what the instructions ask for
void check_instructions(const Kernel& kernel, Properties& out);
[[nodiscard]] bool check_vectors(const Kernel& kernel, Properties& out);
void check_matrix_rows(const Kernel& kernel, Properties& out);
void check_alignment(const std::vector<SiteCost>& sites, Properties& out);
void check_conflicts(const std::vector<SiteCost>& sites, const CheckOptions& options, Properties& out);
void note_narrow_accesses(const Kernel& kernel, Properties& out);

// work.cpp: who does what
void check_tile(const Kernel& kernel, Properties& out);
void check_threads(const Kernel& kernel, const hw::Limits& limits, Properties& out);
void check_coverage(const Kernel& kernel, Properties& out);
void check_matrices(const Kernel& kernel, Properties& out);  // of the shown sizes

// raster.cpp
void check_raster(const Kernel& kernel, const RasterMap& raster, const hw::Limits& limits, Properties& out);

// shared_memory.cpp
void check_both_ends(const Kernel& kernel, Properties& out);
void check_overlap(const Kernel& kernel, Properties& out);
void check_epilogue(const Kernel& kernel, Properties& out);
void check_shared_bytes(const Kernel& kernel, const hw::Limits& limits, Properties& out);

// occupancy.cpp
void check_registers(const Kernel& kernel, const CheckOptions& options, const hw::Limits& limits, Properties& out);
void check_occupancy(const Kernel& kernel, const CheckOptions& options, const hw::Limits& limits, Properties& out);

// Findings of one property: the first `most_findings` are kept, all are counted.
class Findings {
 public:
  void add(std::string finding) {
    if (kept_.size() < most_findings) {
      kept_.push_back(std::move(finding));
    }
    ++found_;
  }
  [[nodiscard]] bool any() const { return found_ > 0; }
  [[nodiscard]] std::int64_t count() const { return found_; }
  // A property that is good where there are none.
  [[nodiscard]] Property property(const std::string& name, const std::string& good, const std::string& bad,
                                  const std::string& hint) const {
    return any() ? Property{name, Verdict::bad, bad, hint, kept_, found_} : Property{name, Verdict::good, good, ""};
  }

 private:
  std::vector<std::string> kept_;
  std::int64_t found_ = 0;
};

// `A(3,5)`; `n elements`, `1 element`
[[nodiscard]] std::string element_name(Operand operand, std::int64_t row, std::int64_t column);
[[nodiscard]] std::string counted(std::int64_t n, const std::string& noun);

}  // namespace tileloom::trace
