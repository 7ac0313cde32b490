// SPDX-License-Identifier: Apache-2.0
// The emulator's results beside the recorded ones.
#pragma once

#include <optional>

#include "emu/micro/micro_record.hpp"

namespace tileloom::emu::test {

enum class Agreement : std::uint8_t { equal, within, differs };

struct Comparison {
  Agreement agreement = Agreement::equal;
  double ulps = 0;      // largest distance of results within their bound, of those beyond Tolerance::absolute
  double absolute = 0;  // largest difference of those
  std::string text;     // of the first difference: which result, expected and found
  std::optional<std::size_t> thread;  // where it is; nothing when only a checksum tells
};

// `stored`: 64 bits for each result of each thread.
[[nodiscard]] Comparison compare(const MicroCase& c, const MicroRecord& record, std::span<const std::uint64_t> stored);
[[nodiscard]] std::uint64_t cut_to_register(const std::string& name, std::uint64_t value);

}  // namespace tileloom::emu::test
