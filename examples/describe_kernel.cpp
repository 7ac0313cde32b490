// SPDX-License-Identifier: Apache-2.0
// The types of a CuTe kernel, the 128 x 256 x 32 one of hgemm-128x256x32.json, as a configuration on stdout:
//   describe_kernel | tileloom check -
#include <iostream>
#include <tileloom/describe.hpp>

using namespace cute;

// What the kernel's host code has anyway.
using Mma = decltype(make_tiled_mma(MMA_Atom<SM80_16x8x16_F16F16F16F16_TN>{}, Layout<Shape<_2, _2, _1>>{},
                                    Tile<_32, _32, _16>{}));
using SmemAtom = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}));
using SmemA = decltype(tile_to_shape(SmemAtom{}, Shape<_128, _32, _3>{}));
using SmemB = decltype(tile_to_shape(SmemAtom{}, Shape<_256, _32, _3>{}));
using SmemAtomC = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_32, _32>, Stride<_32, _1>>{}));
using SmemC = decltype(tile_to_shape(SmemAtomC{}, Shape<_32, _32, _4>{}));
using G2S = decltype(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
                                     Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{}));
using S2R = Copy_Atom<SM75_U32x4_LDSM_N, half_t>;
using R2S = Copy_Atom<UniversalCopy<int>, half_t>;
using S2G = decltype(make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{},
                                     Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{}));

int main() {
  tileloom::describe::kernel("multistage_128x256x32_s3_f16")
      .stages(3)
      .raster(8)
      .mma(Mma{})
      .tile(Shape<_128, _256, _32>{})
      .gmem_a("(M,K):(K{div=8},_1)")
      .gmem_b("(N,K):(K{div=8},_1)")
      .gmem_c("(M,N):(N{div=8},_1)")
      .smem_a(SmemA{})
      .smem_b(SmemB{})
      .smem_c(SmemC{})
      .g2s_a(G2S{})
      .g2s_b(G2S{})
      .s2r_a(S2R{})
      .s2r_b(S2R{})
      .r2s(R2S{})
      .s2g(S2G{})
      .write(std::cout);
}
