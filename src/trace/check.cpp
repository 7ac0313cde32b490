// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/check.hpp"

#include <algorithm>

#include "trace/access_sites.hpp"
#include "trace/check/properties.hpp"
#include "trace/copy_ends.hpp"

namespace tileloom::trace {

bool CheckReport::ok() const {
  return std::ranges::none_of(properties, [](const Property& p) { return p.verdict == Verdict::bad; });
}

CheckReport check_kernel(const Kernel& kernel, const CheckOptions& options) {
  const hw::Limits limits = hw::limits(kernel.arch);
  CheckReport report;
  const OperandPath& c = kernel.path(Operand::c);
  report.slabs = c.elements() / copied_extent(c).elements();
  Properties& out = report.properties;
  check_instructions(kernel, out);
  const bool vectors = check_vectors(kernel, out);
  check_matrix_rows(kernel, out);
  if (vectors) {
    report.sites = access_sites(kernel);  // an instruction whose values lie apart has no one address
    check_alignment(report.sites, out);
    check_conflicts(report.sites, options, out);
  }
  note_narrow_accesses(kernel, out);
  check_tile(kernel, out);
  check_threads(kernel, limits, out);
  check_coverage(kernel, out);
  check_matrices(kernel, out);
  check_raster(kernel, options.raster, limits, out);
  check_both_ends(kernel, out);
  check_overlap(kernel, out);
  check_epilogue(kernel, out);
  check_shared_bytes(kernel, limits, out);
  check_registers(kernel, options, limits, out);
  check_occupancy(kernel, options, limits, out);
  return report;
}

}  // namespace tileloom::trace
