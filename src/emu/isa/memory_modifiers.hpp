// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "emu/isa/instruction.hpp"

namespace tileloom::emu {

// The state space, generic when none is named. A CTA is a cluster of its own, so shared::cluster is its own memory.
[[nodiscard]] ptx::Space take_space(Instr& in);
// Takes what says how an access is cached, ordered or seen by others.
void take_cache_hints(Instr& in);

}  // namespace tileloom::emu
