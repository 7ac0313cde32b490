// SPDX-License-Identifier: Apache-2.0
// bar.sync and its kin: who has come, and when all may go on. PTX ISA, "barrier{.cta}".
#pragma once

#include "emu/machine/cta.hpp"

namespace tileloom::emu {

// The executing lanes, which are blocked at Warp::pc, arrive. An aligned arrival counts 32 threads a warp, as the
// hardware does; without a thread count the barrier waits for all threads that have not exited. Returns the barriers
// that are complete now, as a mask.
[[nodiscard]] std::uint32_t arrive_at_barrier(Warp& w, const Op& op);
// Threads exited: barriers that wait for all may be complete now. Returns those that are.
[[nodiscard]] std::uint32_t release_after_exit(Cta& cta);

}  // namespace tileloom::emu
