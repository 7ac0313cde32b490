// SPDX-License-Identifier: Apache-2.0
// Family `simple`: global memory -> registers -> mma.sync, no shared memory. The kernel to read first.
//
// Every thread loads the A and B elements that its fragments hold straight from global memory, one K tile at a time.
// It is right for every m, n, k >= 0 and every leading dimension: elements outside the matrices are never read or
// written, and enter the product as zero.
#pragma once

#include "kernels/tile.cuh"

namespace tileloom::kernels {

// Compile-time constants of one instance.
template <class MmaOp_, int kTileM_, int kTileN_, int kTileK_, int kThreads_>
struct SimpleConfig {
  using MmaOp = MmaOp_;
  using Tile = cute::Shape<cute::Int<kTileM_>, cute::Int<kTileN_>, cute::Int<kTileK_>>;
  // 2 x 2 x 1 atoms, one a warp; each warp works on two atoms along N for one load of A.
  using TiledMma =
      decltype(cute::make_tiled_mma(cute::MMA_Atom<MmaOp>{}, cute::Layout<cute::Shape<cute::_2, cute::_2, cute::_1>>{},
                                    cute::Tile<cute::_32, cute::_32, cute::_16>{}));
  static constexpr int kThreads = kThreads_;

  static_assert(decltype(cute::size(TiledMma{}))::value == kThreads,
                "simple: the instance's thread count differs from that of its tiled MMA");
  static_assert(kTileM_ % 32 == 0 && kTileN_ % 32 == 0 && kTileK_ % 16 == 0,
                "simple: the tile must be a multiple of 32 x 32 x 16");
};

// Copies a K tile of one operand into registers. `coords` names each element's (row, k) in the tile; elements at or
// beyond (rows, ks) become zero and are not read.
template <class Source, class Coords, class Fragment>
__device__ void load_or_zero(const Source& source, const Coords& coords, int rows, int ks, Fragment& fragment) {
  using Element = typename Fragment::value_type;
  CUTE_UNROLL
  for (int i = 0; i < cute::size(fragment); ++i) {
    const bool inside = cute::get<0>(coords(i)) < rows && cute::get<1>(coords(i)) < ks;
    fragment(i) = inside ? source(i) : Element{};
  }
}

template <class Config>
__device__ void simple_gemm(const GemmParams& params) {
  using namespace cute;
  const CtaTile<typename Config::Tile> cta(params);

  // clang-format off
  Tensor gA = cta.gmem_a(params);                                             // (TILE_M, TILE_K)
  Tensor gB = cta.gmem_b(params);                                             // (TILE_N, TILE_K)
  Tensor gD = cta.gmem_d(params);                                             // (TILE_M, TILE_N)

  typename Config::TiledMma tiled_mma;
  auto thr_mma = tiled_mma.get_slice(threadIdx.x);
  Tensor tCcA = thr_mma.partition_A(make_identity_tensor(shape(gA)));         // (MMA, MMA_M, MMA_K) -> (m, k)
  Tensor tCcB = thr_mma.partition_B(make_identity_tensor(shape(gB)));         // (MMA, MMA_N, MMA_K) -> (n, k)
  Tensor tCrA = thr_mma.partition_fragment_A(gA);                             // (MMA, MMA_M, MMA_K)
  Tensor tCrB = thr_mma.partition_fragment_B(gB);                             // (MMA, MMA_N, MMA_K)
  Tensor tCrC = thr_mma.partition_fragment_C(gD);                             // (MMA, MMA_M, MMA_N)

  clear(tCrC);
  for (std::int64_t k_left = params.k; k_left > 0; k_left -= cta.kK) {
    Tensor tCgA = thr_mma.partition_A(gA);                                    // (MMA, MMA_M, MMA_K)
    Tensor tCgB = thr_mma.partition_B(gB);                                    // (MMA, MMA_N, MMA_K)
    // clang-format on
    const int ks = inside_tile(k_left, cta.kK);
    load_or_zero(tCgA, tCcA, cta.rows_m, ks, tCrA);
    load_or_zero(tCgB, tCcB, cta.rows_n, ks, tCrB);
    cute::gemm(tiled_mma, tCrC, tCrA, tCrB, tCrC);
    advance_k(gA);
    advance_k(gB);
  }
  store_fragment(thr_mma, tCrC, gD, cta.rows_m, cta.rows_n);
}

}  // namespace tileloom::kernels
