// SPDX-License-Identifier: Apache-2.0
#include "gemm/cost_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <map>
#include <mutex>
#include <utility>

#include "tileloom/hw/limits.hpp"
#include "tileloom/hw/occupancy.hpp"
#include "tileloom/hw/throughput.hpp"

namespace tileloom::gemm {
namespace {

using kernels::KernelInstance;

// Fitted to times of the shipped kernels on an H200 (results/h200/choice_f16.json, choice_f32.json), rounded. Clocks unless said.
constexpr double tensor_core_share = 0.82;     // of the tensor cores' rate that a kernel reaches
constexpr double shared_memory_share = 0.83;   // of a wavefront a clock
constexpr double clocks_per_k_block = 60;      // ldmatrix, then mma.sync that waits for it
constexpr double clocks_per_k_tile = 150;      // barrier, addresses
constexpr double copy_latency = 1560;          // from a copy to its data
constexpr double clocks_per_cta = 1500;        // first data, and the end
constexpr double clocks_per_kilo_output = 95;  // 1024 elements of D
constexpr double launch_seconds = 0.59e-6;

constexpr double wavefront_bytes = 128;
constexpr double mma_products = 16 * 8 * 16;  // of one mma.sync

// What a CTA does for one K tile.
struct KTile {
  double products;    // multiply-adds
  double wavefronts;  // of ldmatrix and cp.async
  double bytes;       // copied
  double k_blocks;
};

// A copy of rows of 64 bytes writes shared memory at half rate (hw/memory_cost.hpp, sector moves).
KTile k_tile(const KernelInstance& i) {
  const double rows_of_fragments = i.tile_m * i.warps_n + i.tile_n * i.warps_m;
  const double bytes = i.stage_bytes != 0 ? i.stage_bytes : 2.0 * (i.tile_m + i.tile_n) * i.tile_k;
  const double halves_of_line = i.tile_k < 64 ? 2 : 1;
  return {.products = double(i.tile_m) * i.tile_n * i.tile_k,
          .wavefronts = 2 * rows_of_fragments * i.tile_k / wavefront_bytes + halves_of_line * bytes / wavefront_bytes,
          .bytes = bytes,
          .k_blocks = i.tile_k / 16.0};
}

std::int64_t tiles(std::int64_t size, int tile) {
  return (size + tile - 1) / tile;
}

std::uint32_t count_resident_ctas(const KernelInstance& instance, hw::Arch arch) {
  const auto code = kernels::ptx_target(instance, arch);
  const auto used = code ? kernels::resources(instance.name, *code) : std::nullopt;
  const auto registers = static_cast<std::uint32_t>(used ? used->registers : 255);
  const hw::CtaResources cta{static_cast<std::uint32_t>(instance.threads), registers,
                             instance.shared_bytes(instance.default_stages)};
  return hw::occupancy(cta, hw::limits(arch)).ctas();
}

// That an SM holds at once: counted once for each instance and architecture.
std::uint32_t resident_ctas(const KernelInstance& instance, hw::Arch arch) {
  static std::mutex mutex;
  static std::map<std::pair<const KernelInstance*, hw::Arch>, std::uint32_t> counted;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = counted.try_emplace({&instance, arch}, 0);
  if (is_new) {
    at->second = count_resident_ctas(instance, arch);
  }
  return at->second;
}

struct Bound {
  double clocks;
  const char* name;
};

// Clocks of one K tile where `together` CTAs share an SM.
Bound clocks_of_k_tile(const KernelInstance& instance, const KTile& tile, double together, const hw::Throughput& gpu) {
  const double ahead = std::max(1, instance.default_stages - 1);
  const std::array bounds{Bound{together * tile.products / (gpu.mma_fma_per_clock * tensor_core_share), "tensor cores"},
                          Bound{together * tile.wavefronts / shared_memory_share, "shared memory"},
                          Bound{tile.k_blocks * clocks_per_k_block + clocks_per_k_tile, "latency of mma.sync"},
                          Bound{copy_latency / ahead, "latency of copies"},
                          Bound{together * tile.bytes / gpu.l2_bytes_per_clock, "L2"}};
  return *std::ranges::max_element(bounds, {}, &Bound::clocks);
}

// A, B and D read or written once.
double bytes_once(const GemmProblem& p) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  return 2 * (m * k + n * k + m * n);
}

// Of one K tile of a CTA.
double joules(const KernelInstance& instance, const KTile& tile, const hw::Energy& energy) {
  const double of_mma = instance.accumulate == Accumulate::f16 ? energy.mma_f16_joules : energy.mma_f32_joules;
  return tile.products / mma_products * of_mma + tile.wavefronts * energy.wavefront_joules;
}

// Times of work that overlaps: a little more than the longest.
double together(std::initializer_list<double> seconds) {
  constexpr double sharpness = 8;
  const double longest = std::max(seconds);
  double sum = 0;
  for (const double s : seconds) {
    sum += longest > 0 ? std::pow(s / longest, sharpness) : 0;
  }
  return longest * std::pow(sum, 1 / sharpness);
}

// CTAs that share an SM, and how often.
struct Wave {
  double together;
  double times;
};

}  // namespace

Target typical_target(hw::Arch arch) {
  return {arch, hw::throughput(arch).multiprocessors};
}

Estimate estimate(const GemmProblem& problem, const KernelInstance& instance, const Target& target) {
  const hw::Throughput gpu = hw::throughput(target.arch);
  const KTile tile = k_tile(instance);
  const double ctas = double(tiles(problem.m, instance.tile_m)) * double(tiles(problem.n, instance.tile_n));
  const double k_tiles = double(tiles(problem.k, instance.tile_k));
  Estimate e;
  e.instance = &instance;
  e.ctas = static_cast<std::uint32_t>(std::min(ctas, 2147483647.0));
  e.ctas_per_sm = std::max(1U, resident_ctas(instance, target.arch));

  const double slots = double(target.multiprocessors) * e.ctas_per_sm;
  const double full = std::floor(ctas / slots);
  const double rest = std::ceil((ctas - full * slots) / target.multiprocessors);
  e.waves = static_cast<std::uint32_t>(full + (rest > 0 ? 1 : 0));
  double clocks = 0;
  for (const Wave& wave : {Wave{double(e.ctas_per_sm), full}, Wave{rest, rest > 0 ? 1.0 : 0.0}}) {
    if (wave.times == 0) {
      continue;
    }
    const Bound k = clocks_of_k_tile(instance, tile, wave.together, gpu);
    const double output = double(instance.tile_m) * instance.tile_n / 1024 * wave.together * clocks_per_kilo_output;
    clocks += wave.times * (clocks_per_cta + k_tiles * k.clocks + output);
    e.bound = e.bound.empty() ? k.name : e.bound;
  }
  const double scheduled = clocks / gpu.clock_hz;
  const double memory = bytes_once(problem) / gpu.dram_bytes_per_second;
  const double power = gpu.energy ? ctas * k_tiles * joules(instance, tile, *gpu.energy) / gpu.energy->watts : 0;
  if (std::max(memory, power) > scheduled) {
    e.bound = memory > power ? "memory" : "power";
  }
  e.seconds = launch_seconds + together({scheduled, memory, power});
  return e;
}

std::vector<Estimate> rank(const GemmProblem& problem, std::string_view family, const Target& target) {
  std::vector<Estimate> ranked;
  for (const KernelInstance& instance : kernels::instances()) {
    const std::uint32_t shared = instance.shared_bytes(instance.default_stages);
    if (instance.family == family && instance.accumulate == problem.accumulate && !(target.arch < instance.min_arch) &&
        shared <= hw::limits(target.arch).shared_bytes_per_cta) {
      ranked.push_back(estimate(problem, instance, target));
    }
  }
  std::ranges::stable_sort(ranked, {}, &Estimate::seconds);
  return ranked;
}

std::string to_string(const Estimate& e) {
  const auto plural = [](std::uint32_t n, const char* one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  return fmt::format("{:.3g} us estimated: {}, {} an SM, {}, bound by {}", 1e6 * e.seconds, plural(e.ctas, "CTA"),
                     e.ctas_per_sm, plural(e.waves, "wave"), e.bound);
}

std::uint32_t raster_width(const KernelInstance& instance, int multiprocessors) {
  const double square = std::sqrt(double(multiprocessors) * instance.tile_m / instance.tile_n);
  return std::bit_floor(static_cast<std::uint32_t>(std::max(1.0, square)));
}

}  // namespace tileloom::gemm
