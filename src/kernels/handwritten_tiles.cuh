// SPDX-License-Identifier: Apache-2.0
// What family `handwritten` derives by hand: which thread copies what to where in shared memory, which lane reads what
// from where, and which sums a lane holds. No CuTe.
//
// Shared memory. A tile's rows lie one after the other, each of C = kTileK / 8 chunks of 16 bytes; R = 64 / kTileK rows
// make one line of 128 bytes, which is all 32 banks. Chunk c of row r lies in the place
//   c xor (r / R mod C)
// of its row. Of the 8 rows that one phase of ldmatrix reads at chunk c, R neighbours lie side by side in a line, and
// the C lines have C different places: 8 x 16 bytes in 8 different quarters of the banks. Since that number of r is the
// same for r + 8, and all rows that a thread copies or a lane reads differ by multiples of 8, it is computed once a
// thread; another k-block is another xor of the address.
#pragma once

#include <cstdint>

#include "kernels/cp_async.cuh"

namespace tileloom::kernels {

// The sums of one mma.sync.m16n8k16 in a lane: of rows lane / 4 and lane / 4 + 8, columns 2 * (lane % 4) and the next.
namespace sums {

struct f16 {
  static constexpr int kRegisters = 2;
  std::uint32_t c[2] = {};

  __device__ void add_product(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(c[0]), "+r"(c[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  // The two neighbours of the upper (0) or lower (1) row as halves.
  __device__ std::uint32_t pair(int half) const { return c[half]; }
};

struct f32 {
  static constexpr int kRegisters = 4;
  float c[4] = {};

  __device__ void add_product(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  __device__ std::uint32_t pair(int half) const {
    std::uint32_t both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(c[2 * half + 1]), "f"(c[2 * half]));
    return both;
  }
};

}  // namespace sums

// Compile-time constants of one instance. Each of the kWarpsM x kWarpsN warps has a part of the output tile for itself.
template <class Sums_, int kTileM_, int kTileN_, int kTileK_, int kWarpsM_, int kWarpsN_>
struct HandwrittenConfig {
  using Sums = Sums_;
  static constexpr int kTileM = kTileM_, kTileN = kTileN_, kTileK = kTileK_;
  static constexpr int kThreads = 32 * kWarpsM_ * kWarpsN_;
  static constexpr int kWarpsM = kWarpsM_;
  static constexpr int kWarpTileM = kTileM / kWarpsM_, kWarpTileN = kTileN / kWarpsN_;
  static constexpr int kAtomsM = kWarpTileM / 16, kAtomsN = kWarpTileN / 8;  // mma.sync of a warp and k-block
  static constexpr int kBlocks = kTileK / 16;                                // k-blocks of a tile

  static constexpr int kRowBytes = 2 * kTileK;
  static constexpr int kChunksPerRow = kTileK / kChunkHalves;
  static constexpr int kBytesA = kTileM * kRowBytes, kBytesB = kTileN * kRowBytes;
  static constexpr int kStageBytes = kBytesA + kBytesB;
  static constexpr int kRowsPerPass = kThreads / kChunksPerRow;  // rows that all threads copy at once

  // CTAs that a multiprocessor's 65536 registers should hold: two sets of fragments, the sums, and some 40 others.
  static constexpr int kRegisters = 2 * (4 * kAtomsM + 2 * kAtomsN) + Sums::kRegisters * kAtomsM * kAtomsN + 40;
  static constexpr int kMinCtas = kRegisters <= 168 ? 384 / kThreads : kRegisters <= 255 ? 256 / kThreads : 1;

  static_assert(kTileK == 16 || kTileK == 32 || kTileK == 64, "handwritten: a row must divide a line of shared memory");
  static_assert(kWarpTileM % 16 == 0 && kWarpTileN % 32 == 0, "handwritten: a warp stores 32 columns at once");
  static_assert(kRowsPerPass % 8 == 0 && kTileM % kRowsPerPass == 0 && kTileN % kRowsPerPass == 0,
                "handwritten: a pass must be whole swizzled rows, and divide both tiles");
};

// Byte of a chunk in an operand's tile.
template <class Config>
__device__ int swizzled(int row, int chunk) {
  constexpr int kRowsPerLine = 64 / Config::kTileK;
  return row * Config::kRowBytes + (chunk ^ (row / kRowsPerLine % Config::kChunksPerRow)) * kChunkBytes;
}

// What a warp multiplies in one k-block.
template <class Config>
struct Fragments {
  std::uint32_t a[Config::kAtomsM][4];
  std::uint32_t b[Config::kAtomsN][2];
};

__device__ inline void ldmatrix_x4(std::uint32_t shared, std::uint32_t& r0, std::uint32_t& r1, std::uint32_t& r2,
                                   std::uint32_t& r3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(shared)
               : "memory");
}

// A lane's part in the loads of fragments.
template <class Config>
class Reader {
 public:
  __device__ Reader() {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    // Of A the four matrices are (rows 0-7, k 0-7), (8-15, 0-7), (0-7, 8-15), (8-15, 8-15): one mma.sync's operand. Of
    // B they are (columns 0-7, k 0-7), (0-7, 8-15), (8-15, 0-7), (8-15, 8-15): those of two mma.sync.
    const int row_a = warp % Config::kWarpsM * Config::kWarpTileM + lane % 16;
    const int row_b = warp / Config::kWarpsM * Config::kWarpTileN + lane / 16 * 8 + lane % 8;
    at_a_ = swizzled<Config>(row_a, lane / 16);
    at_b_ = Config::kBytesA + swizzled<Config>(row_b, lane / 8 % 2);
  }

  // Loads the `i`-th of kLoads parts of a k-block; B first, because the first row of mma.sync needs all of it.
  static constexpr int kLoads = Config::kAtomsN / 2 + Config::kAtomsM;
  __device__ void load(std::uint32_t stage, int block, int i, Fragments<Config>& to) const {
    const int other_chunks = 2 * kChunkBytes * block;  // stages begin at multiples of a line
    if (i < Config::kAtomsN / 2) {
      ldmatrix_x4(((stage + at_b_) ^ other_chunks) + 16 * i * Config::kRowBytes, to.b[2 * i][0], to.b[2 * i][1],
                  to.b[2 * i + 1][0], to.b[2 * i + 1][1]);
      return;
    }
    const int m = i - Config::kAtomsN / 2;
    ldmatrix_x4(((stage + at_a_) ^ other_chunks) + 16 * m * Config::kRowBytes, to.a[m][0], to.a[m][1], to.a[m][2],
                to.a[m][3]);
  }

 private:
  std::uint32_t at_a_, at_b_;
};

// A thread's part in the copies of one operand: chunk `chunk` of the rows `row` + i * kRowsPerPass.
template <class Config, int kRows>
class Writer {
 public:
  // `origin` is the tile's first row in the matrix, `at` the operand's place in a stage.
  __device__ Writer(const void* matrix, std::int64_t origin, std::int64_t ld, int at)
      : row_(static_cast<int>(threadIdx.x) / Config::kChunksPerRow),
        chunk_(static_cast<int>(threadIdx.x) % Config::kChunksPerRow),
        at_(at + swizzled<Config>(row_, chunk_)),
        from_(static_cast<const char*>(matrix) + 2 * ((origin + row_) * ld + kChunkHalves * chunk_)),
        pass_bytes_(2 * ld * Config::kRowsPerPass) {}

  // A tile that lies inside the matrix, by 16-byte copies; nothing when `any` is false.
  __device__ void copy_whole(std::uint32_t stage, bool any) {
    each_pass([&](int i, const char* from) {
      cp_async_chunk_if(any, stage + at_ + i * Config::kRowsPerPass * Config::kRowBytes, from);
    });
  }

  // The first `ks` columns of the first `rows` rows.
  template <bool kNarrow>
  __device__ void copy_part(std::uint32_t stage, int rows, int ks, int copy_bytes) {
    const int left = 2 * (ks - kChunkHalves * chunk_);
    const int valid_bytes = left < 0 ? 0 : left < kChunkBytes ? left : kChunkBytes;
    each_pass([&](int i, const char* from) {
      const int valid = row_ + i * Config::kRowsPerPass < rows ? valid_bytes : 0;
      const std::uint32_t to = stage + at_ + i * Config::kRowsPerPass * Config::kRowBytes;
      if constexpr (kNarrow) {
        copy_chunk(to, from, valid, copy_bytes);
      } else {
        cp_async_zero_fill<kChunkBytes>(to, from, valid);
      }
    });
  }

 private:
  template <class Copy>
  __device__ void each_pass(const Copy& copy) {
    const char* from = from_;
#pragma unroll
    for (int i = 0; i < kRows / Config::kRowsPerPass; ++i) {
      copy(i, from);
      from += pass_bytes_;
    }
    from_ += Config::kRowBytes;
  }

  int row_, chunk_;
  std::uint32_t at_;
  const char* from_;
  std::int64_t pass_bytes_;
};

}  // namespace tileloom::kernels
