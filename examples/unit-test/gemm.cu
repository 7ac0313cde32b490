// SPDX-License-Identifier: Apache-2.0
// A small CuTe kernel to test: D = A * B^T, half precision in, f32 out. A is (M,K), B (N,K), D (M,N), all row-major;
// M, N and K are multiples of 64. One CTA of 128 threads makes 64 x 64 of D.
#include <cute/tensor.hpp>

using namespace cute;

// Rows of 128 bytes, swizzled so that neither cp.async nor ldmatrix has bank conflicts.
using SharedTile = decltype(tile_to_shape(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}),
                                          Shape<_64, _64>{}));

using CopyToShared = decltype(make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{},
                                              Layout<Shape<_16, _8>, Stride<_8, _1>>{}, Layout<Shape<_1, _8>>{}));
using Mma = TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_2, _2, _1>>, Tile<_32, _32, _16>>;
using LoadMatrix = Copy_Atom<SM75_U32x4_LDSM_N, half_t>;

extern "C" __global__ void __launch_bounds__(128)
    gemm_64x64(float* d, const half_t* a, const half_t* b, int m, int n, int k) {
  __shared__ alignas(128) half_t shared_a[cosize_v<SharedTile>];
  __shared__ alignas(128) half_t shared_b[cosize_v<SharedTile>];
  const Tensor sA = make_tensor(make_smem_ptr(shared_a), SharedTile{});
  const Tensor sB = make_tensor(make_smem_ptr(shared_b), SharedTile{});

  const Tensor mA = make_tensor(make_gmem_ptr(a), make_layout(make_shape(m, k), make_stride(k, _1{})));
  const Tensor mB = make_tensor(make_gmem_ptr(b), make_layout(make_shape(n, k), make_stride(k, _1{})));
  const Tensor mD = make_tensor(make_gmem_ptr(d), make_layout(make_shape(m, n), make_stride(n, _1{})));
  const Tensor gA = local_tile(mA, Shape<_64, _64>{}, make_coord(blockIdx.x, _));
  const Tensor gB = local_tile(mB, Shape<_64, _64>{}, make_coord(blockIdx.y, _));
  Tensor gD = local_tile(mD, Shape<_64, _64>{}, make_coord(blockIdx.x, blockIdx.y));

  const auto copy_thread = CopyToShared{}.get_thread_slice(threadIdx.x);
  const auto mma_thread = Mma{}.get_thread_slice(threadIdx.x);
  const auto load_a = make_tiled_copy_A(LoadMatrix{}, Mma{});
  const auto load_b = make_tiled_copy_B(LoadMatrix{}, Mma{});
  const auto load_a_thread = load_a.get_thread_slice(threadIdx.x);
  const auto load_b_thread = load_b.get_thread_slice(threadIdx.x);

  Tensor tCrA = mma_thread.partition_fragment_A(sA);
  Tensor tCrB = mma_thread.partition_fragment_B(sB);
  Tensor tCgD = mma_thread.partition_C(gD);
  Tensor tCrD = mma_thread.make_fragment_C(tCgD);
  clear(tCrD);

#pragma unroll 1  // short PTX
  for (int tile = 0; tile < size<2>(gA); ++tile) {
    copy(CopyToShared{}, copy_thread.partition_S(gA(_, _, tile)), copy_thread.partition_D(sA));
    copy(CopyToShared{}, copy_thread.partition_S(gB(_, _, tile)), copy_thread.partition_D(sB));
    cp_async_fence();
    cp_async_wait<0>();
    __syncthreads();  // the tile is there
    copy(load_a, load_a_thread.partition_S(sA), load_a_thread.retile_D(tCrA));
    copy(load_b, load_b_thread.partition_S(sB), load_b_thread.retile_D(tCrB));
    cute::gemm(Mma{}, tCrA, tCrB, tCrD);
    __syncthreads();  // the tile is read: the next one may come
  }
  copy(tCrD, tCgD);
}
