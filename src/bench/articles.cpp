// SPDX-License-Identifier: Apache-2.0
#include "bench/articles.hpp"

#include <fmt/format.h>

namespace tileloom::bench {
namespace {

Contender kernel(const std::string& label, const std::string& name) {
  Contender contender;
  contender.label = label;
  contender.options.kernel = name;
  return contender;
}

Contender cublas() {
  Contender contender;
  contender.label = "cublas";
  contender.cublas = true;
  return contender;
}

std::vector<std::int64_t> steps(std::int64_t first, std::int64_t last, std::int64_t step) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size += step) {
    sizes.push_back(size);
  }
  return sizes;
}

Sweep simple_against_cublas() {
  return {"article 1: the simple kernel against cuBLAS",
          Accumulate::f16,
          steps(256, 8192, 256),
          {kernel("simple", "simple"), kernel("smem", "smem"), cublas()}};
}

Sweep multistage_against_cublas() {
  constexpr std::uint32_t band_columns = 2048;  // the article's block swizzle
  constexpr std::uint32_t tile_columns = 256;
  Sweep sweep{"article 2: the multistage kernel against cuBLAS", Accumulate::f16, steps(256, 16384, 256), {}};
  for (const int stages : {2, 3, 4}) {
    Contender contender = kernel(fmt::format("{} stages", stages), "multistage_128x256x32_f16");
    contender.options.stages = stages;
    contender.options.raster_width = band_columns / tile_columns;
    sweep.contenders.push_back(contender);
  }
  sweep.contenders.push_back(cublas());
  return sweep;
}

}  // namespace

Sweep article(int number) {
  return number == 1 ? simple_against_cublas() : multistage_against_cublas();
}

}  // namespace tileloom::bench
