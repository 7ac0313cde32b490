// SPDX-License-Identifier: Apache-2.0
// wmma as the loads, stores and mma.sync that it is on sm_80 and later.
#pragma once

#include "emu/ptx/ast.hpp"

namespace tileloom::emu {

// Replaces each `wmma` of m16n16k16 on f16 and bf16; others stay, and decoding them is an error. PTX leaves open which
// lane holds what of a fragment; here A, B and the halves of C and D along N are those of mma.sync m16n8k16, and a
// fragment of f16 holds each element of A and B twice, as PTX wants it.
void expand_wmma(ptx::Module& module);

}  // namespace tileloom::emu
