// SPDX-License-Identifier: Apache-2.0
#include "bench/ceilings.hpp"

#if TILELOOM_WITH_CUDA
extern "C" {
extern const char tileloom_ceiling_mma[], tileloom_ceiling_mma_end[];
extern const char tileloom_ceiling_wgmma[], tileloom_ceiling_wgmma_end[];
extern const char tileloom_ceiling_memory[], tileloom_ceiling_memory_end[];
}
#endif

namespace tileloom::bench {

CeilingImages built_ceiling_images() {
#if TILELOOM_WITH_CUDA
  const auto image = [](const char* begin, const char* end) { return std::as_bytes(std::span(begin, end)); };
  return {image(tileloom_ceiling_mma, tileloom_ceiling_mma_end),
          image(tileloom_ceiling_wgmma, tileloom_ceiling_wgmma_end),
          image(tileloom_ceiling_memory, tileloom_ceiling_memory_end)};
#else
  return {};
#endif
}

}  // namespace tileloom::bench
