// SPDX-License-Identifier: Apache-2.0
// Variants of family `multistage` that differ in one respect: the shipped headers with another configuration.
// For whole tiles and operands aligned to 16 bytes only.
#pragma once

#include <type_traits>

#include "kernels/multistage.cuh"

namespace tileloom::ablation {

// Rows of kTileK_ halves, with or without the swizzle. A K tile of 16 holds one k-block, so nothing can be loaded
// ahead.
template <class Base, int kTileK_, bool kSwizzle>
struct WithOperands : Base {
  using Tile = cute::Shape<cute::Int<Base::kTileM>, cute::Int<Base::kTileN>, cute::Int<kTileK_>>;
  static constexpr int kTileK = kTileK_;
  using Rows = cute::Layout<cute::Shape<cute::_8, cute::Int<kTileK>>, cute::Stride<cute::Int<kTileK>, cute::_1>>;
  using OperandAtom = std::conditional_t<kSwizzle, decltype(cute::composition(cute::Swizzle<3, 3, 3>{}, Rows{})), Rows>;
  using StageA =
      decltype(cute::tile_to_shape(OperandAtom{}, cute::Shape<cute::Int<Base::kTileM>, cute::Int<kTileK>>{}));
  using StageB =
      decltype(cute::tile_to_shape(OperandAtom{}, cute::Shape<cute::Int<Base::kTileN>, cute::Int<kTileK>>{}));
  static constexpr int kStageHalvesA = cute::cosize_v<StageA>;
  static constexpr int kStageHalvesB = cute::cosize_v<StageB>;
  static constexpr int kStageBytes = 2 * (kStageHalvesA + kStageHalvesB);
  static constexpr int kLoadAhead = kTileK == 16 ? 0 : Base::kLoadAhead;
};

// One ldmatrix for each B fragment of a mma.sync.
template <class Base>
struct WithNarrowLoadsOfB : Base {
  using LoadAtomB = cute::Copy_Atom<cute::SM75_U32x2_LDSM_N, cute::half_t>;
};

// A k-block's fragments are loaded right before they are used.
template <class Base>
struct WithoutLoadAhead : Base {
  static constexpr int kLoadAhead = 0;
};

enum class Epilogue { through_shared, direct };

// Each thread its own elements, two neighbours along N in one 32-bit store.
template <class ThrMma, class Accumulators, class GlobalD>
CUTE_DEVICE void store_direct(const ThrMma& thr_mma, const Accumulators& tCrC, GlobalD& gD) {
  using namespace cute;
  Tensor tCgD = thr_mma.partition_C(gD);  // (MMA, MMA_M, MMA_N)
  CUTE_UNROLL
  for (int i = 0; i < size(tCrC); i += 2) {
    half_t pair[2] = {half_t(tCrC(i)), half_t(tCrC(i + 1))};
    *reinterpret_cast<std::uint32_t*>(raw_pointer_cast(&tCgD(i))) = *reinterpret_cast<const std::uint32_t*>(pair);
  }
}

template <class Config, int kStages, Epilogue kEpilogue>
CUTE_DEVICE void gemm(const kernels::GemmParams& params, cute::half_t* shared) {
  using namespace cute;
  const kernels::CtaTile<typename Config::Tile> cta(params);
  Tensor gD = cta.gmem_d(params);  // (TILE_M, TILE_N)
  typename Config::TiledMma tiled_mma;
  auto thr_mma = tiled_mma.get_slice(threadIdx.x);
  Tensor tCrC = thr_mma.partition_fragment_C(gD);  // (MMA, MMA_M, MMA_N)
  clear(tCrC);
  kernels::accumulate_whole<Config, kStages>(params, cta, shared, thr_mma, tCrC);
  if constexpr (kEpilogue == Epilogue::direct) {
    store_direct(thr_mma, tCrC, gD);
  } else {
    cp_async_wait<0>();
    __syncthreads();
    kernels::store_through_shared<Config>(thr_mma, tCrC, gD, cta.kM, cta.kN, /*wide=*/true, shared);
  }
}

}  // namespace tileloom::ablation
