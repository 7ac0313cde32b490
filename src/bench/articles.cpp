// SPDX-License-Identifier: Apache-2.0
#include "bench/articles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/instances.hpp"
#include "tileloom/error.hpp"

namespace tileloom::bench {
namespace {

using kernels::KernelInstance;

constexpr std::uint32_t band_columns = 2048;  // the second article's order of tiles

Contender kernel(const std::string& label, const std::string& name) {
  Contender contender;
  contender.label = label;
  contender.options.kernel = name;
  return contender;
}

std::vector<std::int64_t> steps(std::int64_t first, std::int64_t last, std::int64_t step) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size += step) {
    sizes.push_back(size);
  }
  return sizes;
}

void add_stages(std::vector<Contender>& contenders, const KernelInstance& instance) {
  for (int stages = std::max(2, instance.min_stages); stages <= std::min(4, instance.max_stages); ++stages) {
    Contender contender = kernel(fmt::format("{}@{}", instance.name, stages), std::string(instance.name));
    contender.options.stages = stages;
    contender.options.raster_width = band_columns / static_cast<std::uint32_t>(instance.tile_n);
    contenders.push_back(contender);
  }
}

std::vector<Contender> by_hand_and_through_cute() {
  std::vector<Contender> contenders;
  for (const KernelInstance& instance : kernels::instances()) {
    if (instance.family == "handwritten" && instance.accumulate == Accumulate::f16) {
      add_stages(contenders, instance);
    }
  }
  const KernelInstance* const cute = kernels::find_instance("multistage_128x256x32_f16");
  if (contenders.empty() || cute == nullptr) {
    throw Error(ErrorKind::cannot_run,
                fmt::format("article 2: expected kernels {}, found none in this build",
                            cute == nullptr ? "multistage_128x256x32_f16" : "handwritten_..._f16"),
                "tileloom info lists the kernels that there are");
  }
  add_stages(contenders, *cute);
  return contenders;
}

}  // namespace

const Article& article(int number) {
  static const std::array<Article, 2> articles{
      Article{"article 1: the kernel without shared memory and the one through it",
              steps(256, 8192, 256),
              {{"simple", "simple"}, {"smem", "smem"}},
              false},
      Article{"article 2: mma.sync by hand and through CuTe",
              {2048, 4096, 8192, 12288, 16384},
              {{"by hand", "handwritten_128x128"}, {"128x256", "handwritten_128x256"}, {"CuTe", "multistage"}},
              true}};
  return articles.at(static_cast<std::size_t>(number - 1));
}

std::vector<Contender> article_contenders(int number) {
  return number == 1 ? std::vector<Contender>{kernel("simple", "simple"), kernel("smem", "smem")}
                     : by_hand_and_through_cute();
}

}  // namespace tileloom::bench
