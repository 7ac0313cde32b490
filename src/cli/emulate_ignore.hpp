// SPDX-License-Identifier: Apache-2.0
// Findings that somebody has looked at and accepted: `--ignore FILE`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tileloom/emu/emulator.hpp"

namespace tileloom::cli {

// One line of the file: `KIND PLACE[,PLACE] REASON`. KIND is `race` or `uninitialised-read`. A PLACE is `file:line` or
// `file`, of the source or of the PTX, with `*` for any text; of two places each belongs to one of a race's accesses.
struct IgnoreEntry {
  std::string file;
  std::uint32_t line = 0;
  std::string kind;
  std::vector<std::string> places;
  std::string reason;
};

// Empty lines and lines that begin with # are skipped. Throws Error(bad_input), `FILE:LINE: ...`, for others that are
// no entry, Error(io) for a file that cannot be read.
[[nodiscard]] std::vector<IgnoreEntry> read_ignore_file(const std::string& path);

struct IgnoreResult {
  std::vector<emu::Finding> findings;
  std::vector<emu::UninitialisedRead> uninitialised_reads;
  std::vector<std::size_t> finding_entries, read_entries;  // by what each was ignored
  std::vector<std::size_t> unused;                         // entries that nothing matched

  [[nodiscard]] std::size_t count() const { return findings.size() + uninitialised_reads.size(); }
};

// Takes what an entry matches out of the report.
[[nodiscard]] IgnoreResult take_ignored(emu::LaunchReport& report, const std::vector<IgnoreEntry>& entries);

}  // namespace tileloom::cli
