// SPDX-License-Identifier: Apache-2.0
// Where the results of `tileloom bench` go.
#pragma once

#include <optional>
#include <string>

#include "bench/results.hpp"
#include "cli/bench_request.hpp"
#include "cli/report.hpp"
#include "text/atomic_file.hpp"

namespace tileloom::cli {

// The files of -o, --csv and --plot, opened before the work: a path that cannot be written is known at once.
class BenchFiles {
 public:
  explicit BenchFiles(const BenchRequest& request);
  // Puts all of them under their names.
  void write(const bench::Report& report, const Json& json);

 private:
  std::optional<AtomicFile> output_, csv_, plot_;
};

// Whether the environment (LC_ALL, LC_CTYPE, LANG) says that text is UTF-8.
[[nodiscard]] bool locale_is_utf8();

}  // namespace tileloom::cli
