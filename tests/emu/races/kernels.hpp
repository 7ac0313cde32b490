// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.cu: for each fault NAME there are NAME_racy and NAME_clean. compile.sh makes kernels.ptx.
#pragma once

#include <array>
#include <string_view>

namespace tileloom::test {

struct RaceKernel {
  std::string_view name;
  std::string_view finds = "race";  // or `uninitialised read`, or the kind of failure that ends the launch
  unsigned ctas = 1;                // of race_kernel_threads
  bool out_is_written = true;       // false: `out` holds nothing before the launch
  bool hangs = false;               // the racy one may never end on a GPU
};

inline constexpr unsigned race_kernel_threads = 64;
inline constexpr unsigned race_kernel_elements = 4096;  // ints in either buffer

inline constexpr std::array race_kernels{
    RaceKernel{"read_after_write"},
    RaceKernel{"write_after_read"},
    RaceKernel{"write_after_write"},
    RaceKernel{"warp"},
    RaceKernel{"shuffle"},
    RaceKernel{"named_barrier"},
    RaceKernel{"arrive"},
    RaceKernel{"no_wait"},
    RaceKernel{"weak_wait"},
    RaceKernel{"no_commit"},
    RaceKernel{"wait_without_barrier"},
    RaceKernel{"barrier_before_wait"},
    RaceKernel{"stage_reuse"},
    RaceKernel{"two_copies"},
    RaceKernel{"copy_source"},
    RaceKernel{.name = "two_ctas", .ctas = 2},
    RaceKernel{.name = "last_cta", .ctas = 2},
    RaceKernel{"one_store"},
    RaceKernel{"unwritten_shared", "uninitialised read"},
    RaceKernel{.name = "unwritten_global", .finds = "uninitialised read", .out_is_written = false},
    RaceKernel{"out_of_bounds", "out of bounds"},
    RaceKernel{"misaligned", "misaligned"},
    RaceKernel{.name = "divergent_shuffle", .finds = "divergence", .hangs = true},
    RaceKernel{.name = "deadlock", .finds = "deadlock", .hangs = true},
};

}  // namespace tileloom::test
