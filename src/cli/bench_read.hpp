// SPDX-License-Identifier: Apache-2.0
// Reports of `tileloom bench` read back.
#pragma once

#include <string>

#include "bench/results.hpp"
#include "cli/report.hpp"

namespace tileloom::cli {

struct StoredReport {
  bench::Report report;
  Json json;  // as it stands in the file
};

// Also those of earlier versions, which lack what was added since. Throws Error(io), or Error(bad_input) that begins
// with the file's name.
[[nodiscard]] StoredReport read_bench_report(const std::string& file);

}  // namespace tileloom::cli
