// SPDX-License-Identifier: Apache-2.0
// Shared memory of the families that stage operands there, and the way from it to the tensor cores.
#pragma once

#include <cstdint>
#include <cute/tensor.hpp>

namespace tileloom::kernels {

// Compile-time constants of one instance: kWarpsM x kWarpsN warps, each working on two atoms along N, so that one
// ldmatrix.x4 feeds two mma.sync.
template <class MmaOp_, int kTileM_, int kTileN_, int kTileK_, int kWarpsM_, int kWarpsN_>
struct SharedTilesConfig {
  using MmaOp = MmaOp_;
  using Tile = cute::Shape<cute::Int<kTileM_>, cute::Int<kTileN_>, cute::Int<kTileK_>>;
  static constexpr int kTileM = kTileM_;
  static constexpr int kTileN = kTileN_;
  static constexpr int kTileK = kTileK_;
  static constexpr int kStepM = 16 * kWarpsM_;  // rows and columns of D that all warps cover in one step
  static constexpr int kStepN = 16 * kWarpsN_;
  static constexpr int kThreads = 32 * kWarpsM_ * kWarpsN_;

  using TiledMma = decltype(cute::make_tiled_mma(
      cute::MMA_Atom<MmaOp>{}, cute::Layout<cute::Shape<cute::Int<kWarpsM_>, cute::Int<kWarpsN_>, cute::_1>>{},
      cute::Tile<cute::Int<kStepM>, cute::Int<kStepN>, cute::_16>{}));

  // Eight rows of a K tile, 16-byte chunks permuted so that the eight rows that one ldmatrix phase reads lie in
  // different banks. A 64-byte row (K tile 32) needs two bits of swizzle, a 128-byte row three; Swizzle<3,3,3> serves
  // both.
  using OperandAtom = decltype(cute::composition(
      cute::Swizzle<3, 3, 3>{},
      cute::Layout<cute::Shape<cute::_8, cute::Int<kTileK>>, cute::Stride<cute::Int<kTileK>, cute::_1>>{}));
  using StageA = decltype(cute::tile_to_shape(OperandAtom{}, cute::Shape<cute::Int<kTileM>, cute::Int<kTileK>>{}));
  using StageB = decltype(cute::tile_to_shape(OperandAtom{}, cute::Shape<cute::Int<kTileN>, cute::Int<kTileK>>{}));
  static constexpr int kStageHalvesA = cute::cosize_v<StageA>;
  static constexpr int kStageHalvesB = cute::cosize_v<StageB>;
  static constexpr int kStageBytes = 2 * (kStageHalvesA + kStageHalvesB);
  // Sums and two sets of fragments leave too few for the addresses of many copies.
  static constexpr bool kFewRegistersLeft = kStageBytes >= 48 * 1024;

  using LoadAtom = cute::Copy_Atom<cute::SM75_U32x4_LDSM_N, cute::half_t>;
  using LoadAtomB = LoadAtom;
  static constexpr int kLoadAhead = 1;  // k-blocks that family multistage loads before it uses them

  static_assert(kTileK % 32 == 0, "K tile: rows of at least 64 bytes, for the swizzle");
  static_assert(kTileM % kStepM == 0 && kTileN % kStepN == 0, "tile: a multiple of what the warps cover in one step");
};

// A stage's operand tiles in shared memory. Stages lie one after the other: A then B of stage 0, A then B of stage 1.
template <class Config>
struct SharedStage {
  cute::half_t* base;

  __device__ SharedStage(cute::half_t* shared, int stage)
      : base(shared + stage * (Config::kStageHalvesA + Config::kStageHalvesB)) {}
  __device__ auto a() const {  // (TILE_M, TILE_K)
    return cute::make_tensor(cute::make_smem_ptr(base), typename Config::StageA{});
  }
  __device__ auto b() const {  // (TILE_N, TILE_K)
    return cute::make_tensor(cute::make_smem_ptr(base + Config::kStageHalvesA), typename Config::StageB{});
  }
};

// Loads k-block `ik` of a stage into the fragments with ldmatrix.
template <class Config, class FragmentA, class FragmentB>
__device__ void load_k_block(const SharedStage<Config>& stage, int ik, FragmentA& tCrA, FragmentB& tCrB) {
  using namespace cute;
  typename Config::TiledMma tiled_mma;
  auto copy_a = make_tiled_copy_A(typename Config::LoadAtom{}, tiled_mma);
  auto copy_b = make_tiled_copy_B(typename Config::LoadAtomB{}, tiled_mma);
  auto thr_copy_a = copy_a.get_slice(threadIdx.x);
  auto thr_copy_b = copy_b.get_slice(threadIdx.x);
  // clang-format off
  Tensor tXsA = thr_copy_a.partition_S(stage.a());  // (CPY, CPY_M, CPY_K)
  Tensor tXsB = thr_copy_b.partition_S(stage.b());  // (CPY, CPY_N, CPY_K)
  Tensor tXrA = thr_copy_a.retile_D(tCrA);          // (CPY, CPY_M, CPY_K)
  Tensor tXrB = thr_copy_b.retile_D(tCrB);          // (CPY, CPY_N, CPY_K)
  // clang-format on
  copy(copy_a, tXsA(_, _, ik), tXrA(_, _, ik));
  copy(copy_b, tXsB(_, _, ik), tXrB(_, _, ik));
}

}  // namespace tileloom::kernels
