// SPDX-License-Identifier: Apache-2.0
// What each op means to the checks; told from its opcode, once for a launch.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/machine/program.hpp"

namespace tileloom::emu {

struct Site {
  enum class Kind : std::uint8_t {
    other,
    load,
    store,
    atomic,       // also loads and stores that are relaxed, acquire, release or volatile
    load_matrix,  // each lane that gives a row's address reads that row
    store_matrix,
    copy,        // cp.async
    wait_group,  // of copies
    wait_all,
    fence,
    warp_barrier,
    cta_barrier,
  };
  Kind kind = Kind::other;
  bool acquires = false, releases = false;
  bool cta_scope = false;  // of an atomic or a fence: gpu scope or wider otherwise
};

// By op.
[[nodiscard]] std::vector<Site> find_sites(const Program& program);

}  // namespace tileloom::emu
