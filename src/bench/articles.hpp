// SPDX-License-Identifier: Apache-2.0
// The comparisons of the two articles that the kernels come from, as sweeps over square sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/session.hpp"

namespace tileloom::bench {

struct Sweep {
  std::string title;
  Accumulate accumulate = Accumulate::f16;
  std::vector<std::int64_t> sizes;  // m = n = k
  std::vector<Contender> contenders;
};

// 1: the kernel without shared memory, the one through shared memory, and cuBLAS.
// 2: the pipelined kernel with tiles of 128 x 256 x 32 on 128 threads and 2, 3 and 4 stages, in bands of 2048 columns,
//    and cuBLAS.
// Both sum in f16, as the articles do. Precondition: article is 1 or 2.
[[nodiscard]] Sweep article(int number);

}  // namespace tileloom::bench
