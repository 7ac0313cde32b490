// SPDX-License-Identifier: Apache-2.0
// Kernels with one fault of ordering or copying: what the emulator must notice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tileloom::test {

struct PtxMutation {
  std::uint32_t line = 0;  // of the PTX, from 1
  std::string entry;       // the kernel that it stands in
  std::string what;        // `bar.sync 0 removed`; the same for every place where the same is done
  std::vector<std::pair<std::uint32_t, std::string>> edits;  // lines and what stands there instead
};

// Each bar.sync, cp.async.wait_* and cp.async.commit_group removed; each wait with one group more pending; each
// bar.sync moved behind the next access of shared memory, where its block of code has one.
std::vector<PtxMutation> sync_mutations(std::string_view ptx);

// Each cp.async to the stage after the one that it should go to, which is read now where a pipeline is full; its count
// of source bytes two less and two more, within 0 and the copy's size, where it has one. `stage_bytes` 0: one stage.
std::vector<PtxMutation> copy_mutations(std::string_view ptx, std::uint32_t stage_bytes);

// The PTX after it; line numbers stay.
std::string mutated(std::string_view ptx, const PtxMutation& mutation);

}  // namespace tileloom::test
