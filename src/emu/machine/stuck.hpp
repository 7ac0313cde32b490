// SPDX-License-Identifier: Apache-2.0
// What to say when a CTA cannot go on.
#pragma once

#include <cstdint>
#include <string>

#include "emu/machine/cta.hpp"

namespace tileloom::emu {

// `0-15, 17`; `none`.
[[nodiscard]] std::string lane_list(std::uint32_t mask);

// No warp can run: who waits for what.
[[noreturn]] void fail_stuck(const Cta& cta);
// A warp-wide instruction of a warp that has fewer than 32 threads left.
[[noreturn]] void fail_incomplete_warp(const Warp& w, std::uint32_t exec);
[[noreturn]] void fail_limit(const Cta& cta, std::uint64_t limit);

}  // namespace tileloom::emu
