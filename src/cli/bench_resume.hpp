// SPDX-License-Identifier: Apache-2.0
// The file of --resume: a report that grows by a shape at a time.
#pragma once

#include <optional>
#include <string>

#include "cli/bench_read.hpp"

namespace tileloom::cli {

class ResumeFile {
 public:
  // `begun` is the report without ceilings and shapes. Reads the file where it exists. Throws Error(bad_input) where it
  // is of another request, device or version, naming the first thing that differs.
  ResumeFile(std::string file, const Json& begun);

  // Ceilings and shape as they were measured; nullopt where the file has none. Empty file name: it has nothing.
  [[nodiscard]] std::optional<Json> ceilings() const;
  [[nodiscard]] std::optional<Json> shape(const bench::Shape& shape) const;
  [[nodiscard]] const bench::Report* report() const { return stored_ ? &stored_->report : nullptr; }

  void save(const Json& report) const;

 private:
  std::string file_;
  std::optional<StoredReport> stored_;
};

}  // namespace tileloom::cli
