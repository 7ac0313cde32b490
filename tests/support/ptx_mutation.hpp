// SPDX-License-Identifier: Apache-2.0
// Kernels with one synchronising instruction less, or a weaker one: what the emulator must notice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tileloom::test {

struct PtxMutation {
  std::uint32_t line = 0;   // of the PTX, from 1
  std::string entry;        // the kernel that it stands in
  std::string instruction;  // as written, without white space round it
  std::string replacement;  // empty: removed
};

// `bar.sync 0 removed`, `cp.async.wait_group 1 -> cp.async.wait_group 2`.
std::string to_string(const PtxMutation& mutation);

// For each bar.sync, cp.async.wait_* and cp.async.commit_group: its removal; for each wait: the same with one group
// more pending.
std::vector<PtxMutation> sync_mutations(std::string_view ptx);

// The PTX after it; line numbers stay.
std::string mutated(std::string_view ptx, const PtxMutation& mutation);

}  // namespace tileloom::test
