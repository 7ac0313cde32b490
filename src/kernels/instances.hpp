// SPDX-License-Identifier: Apache-2.0
// The shipped kernels. The list is instances.json; the build makes this table, the compiled images, dispatch, `info`
// and the tests from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/accumulate.hpp"
#include "tileloom/hw/arch.hpp"

namespace tileloom::kernels {

// One compiled kernel: its compile-time constants. The entry in every image is `name` (and a second one,
// see entry_name).
struct KernelInstance {
  std::string_view name;    // `simple_128x128x16_f32`
  std::string_view family;  // `simple`
  Accumulate accumulate;
  int tile_m;
  int tile_n;
  int tile_k;
  int warps_m;  // warps along M and N, each with its part of the tile
  int warps_n;
  int threads;
  std::uint32_t stage_bytes;  // shared memory of one stage; 0: the kernel uses none
  int min_stages;             // how many stages a launch may ask for; 0 where there are none
  int default_stages;
  int max_stages;
  hw::Arch min_arch;
  bool family_default;  // what the family's name means, for this accumulate type

  // Whether the kernel stages operands in shared memory. Such a kernel has a second entry, narrow_entry, for operands
  // that cannot be copied 16 bytes at a time.
  [[nodiscard]] bool uses_shared_memory() const { return stage_bytes > 0; }
  // Whether a launch may choose the number of stages.
  [[nodiscard]] bool pipelined() const { return max_stages > min_stages; }
  // Dynamic shared memory of a CTA.
  [[nodiscard]] std::uint32_t shared_bytes(int stages) const {
    return stage_bytes * static_cast<std::uint32_t>(stages);
  }
};

// Whether operands whose widest copies are of the given bytes (16, 8, 4 or 2) need the instance's narrow entry.
[[nodiscard]] inline bool is_narrow(const KernelInstance& instance, int copy_bytes_a, int copy_bytes_b) {
  return instance.uses_shared_memory() && (copy_bytes_a < 16 || copy_bytes_b < 16);
}

// The entry for operands whose widest copies are of the given bytes (16, 8, 4 or 2).
[[nodiscard]] std::string entry_name(const KernelInstance& instance, int copy_bytes_a, int copy_bytes_b);

// All entries: the one for 16-byte copies, and the narrow one where there is one.
[[nodiscard]] std::vector<std::string> entry_names(const KernelInstance& instance);

// In the order of the list.
[[nodiscard]] std::span<const KernelInstance> instances();

// By exact name; nullptr when there is none.
[[nodiscard]] const KernelInstance* find_instance(std::string_view name);

// CTAs that cover an m x n output, one tile each: `ceil(m / tile_m) * ceil(n / tile_n)`. raster.hpp says which is
// whose. m, n >= 0; nullopt when the product exceeds 2^31 - 1, the largest grid.x of CUDA.
[[nodiscard]] std::optional<std::uint32_t> grid_size(const KernelInstance& instance, std::int64_t m, std::int64_t n);

// The targets that the instance's PTX is there for, ascending.
[[nodiscard]] std::span<const hw::Arch> ptx_targets(const KernelInstance& instance);

// The newest of them that `arch` can run; nullopt when there is none.
[[nodiscard]] std::optional<hw::Arch> ptx_target(const KernelInstance& instance, hw::Arch arch);

// The PTX for one of ptx_targets, which its `.target` names: what the emulator runs and the GPU's machine code was
// assembled from. Unpacked at the first call, by whichever thread, and kept until the process ends.
[[nodiscard]] const std::string& ptx_text(const KernelInstance& instance, hw::Arch target);

// What ptxas made of one entry for one architecture.
struct EntryResources {
  hw::Arch arch;
  int registers;            // a thread
  int stack_bytes;          // a thread
  int spilled_bytes;        // stored and loaded, a thread
  int static_shared_bytes;  // a CTA, beside the dynamic ones
};

// By entry (see entry_name) and architecture of the machine code; nullopt for others. In a build without CUDA: of the
// machine code that the committed PTX was assembled to.
[[nodiscard]] std::optional<EntryResources> resources(std::string_view entry, hw::Arch arch);

// Machine code for the GPUs (sm_80, sm_90) and PTX for the others, compressed. Empty in a build without CUDA.
[[nodiscard]] std::span<const std::byte> fatbin(const KernelInstance& instance);

// Whether this build holds machine code.
[[nodiscard]] bool built_with_cuda();

// The compiler that made the PTX, for example `nvcc 13.0.88`.
[[nodiscard]] std::string_view ptx_compiler();

}  // namespace tileloom::kernels
