// SPDX-License-Identifier: Apache-2.0
// What the ceilings' kernels and the host agree on.
#pragma once

namespace tileloom::bench::ceilings {

inline constexpr int threads = 256;        // of every kernel but the pause
inline constexpr int data_halves = 24576;  // f16 operands of the arithmetic kernels, the same for every CTA

// mma.sync: a step is 32 multiplications of 16 x 8 x 16 a warp.
inline constexpr int mma_tiles = 32;
inline constexpr double mma_flops_a_step = 2.0 * 16 * 8 * 16 * mma_tiles * (threads / 32);

// wgmma: two groups of four warps; a step is four multiplications of 64 x 256 x 16 each.
inline constexpr int wgmma_k_blocks = 4;
inline constexpr double wgmma_flops_a_step = 2.0 * 64 * 256 * 16 * wgmma_k_blocks * (threads / 128);
inline constexpr int wgmma_shared_bytes = 2 * data_halves + 1024;  // the tiles and room to align them

// read and copy: what a CTA moves, in pieces of 16 bytes a thread.
inline constexpr int pieces = 8;
inline constexpr int bytes_a_cta = threads * pieces * 16;

// Word i of the buffer that is read and copied is i times this, mod 2^32: random to look at, and its sum is known.
inline constexpr unsigned word_step = 2654435761U;

}  // namespace tileloom::bench::ceilings
