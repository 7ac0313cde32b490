// SPDX-License-Identifier: Apache-2.0
// Problem -> configuration: which kernel, on what.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gemm/cost_model.hpp"
#include "gemm/cuda_backend.hpp"
#include "gemm/emulator_backend.hpp"
#include "gemm/launch.hpp"
#include "gemm/status.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"
#include "tileloom/hw/limits.hpp"

namespace tileloom {
namespace gemm {
namespace {

using kernels::KernelInstance;

constexpr hw::Arch default_emulated_arch = hw::sm_90;

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const KernelInstance& instance : kernels::instances()) {
    names.emplace_back(instance.name);
    if (instance.family_default) {
      names.emplace_back(instance.family);
    }
  }
  return names;
}

[[noreturn]] void refuse_kernel(const std::string& name) {
  std::string hint = did_you_mean(name, kernel_names());
  std::string list;
  for (const KernelInstance& instance : kernels::instances()) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", instance.name);
  }
  throw Error(ErrorKind::bad_input, fmt::format("kernel: expected one of {}; found '{}'", list, name),
              hint.empty() ? "a family's name alone, such as simple, takes its default instance" : hint);
}

constexpr std::size_t most_runners_up = 3;

// Where the kernel will run, as far as a choice needs to know: the GPU if it may be taken, else what is emulated.
Target target_of(const GemmOptions& options) {
  const auto gpu = options.backend == Backend::emulator ? std::nullopt : cuda::current_device();
  if (gpu && options.arch.value_or(gpu->arch) == gpu->arch) {
    return {gpu->arch, gpu->multiprocessors};
  }
  return typical_target(options.arch.value_or(default_emulated_arch));
}

// The fastest by estimate of the list's first family; nullptr where none fits.
const KernelInstance* choose_fastest(const GemmProblem& problem, const Target& target, GemmConfiguration& chosen) {
  const std::vector<Estimate> ranked = rank(problem, kernels::instances().front().family, target);
  if (ranked.empty()) {
    return nullptr;
  }
  chosen.reasons.push_back(fmt::format("kernel: {}, for {} SMs of {}", to_string(ranked.front()),
                                       target.multiprocessors, to_string(target.arch)));
  for (std::size_t i = 1; i < std::min(ranked.size(), 1 + most_runners_up); ++i) {
    chosen.runners_up.push_back(fmt::format("{}: {}", ranked[i].instance->name, to_string(ranked[i])));
  }
  return ranked.front().instance;
}

const KernelInstance* family_default(const std::string& family, Accumulate accumulate) {
  const auto found = std::ranges::find_if(kernels::instances(), [&](const KernelInstance& i) {
    return i.family == family && i.family_default && i.accumulate == accumulate;
  });
  return found == kernels::instances().end() ? nullptr : &*found;
}

// The instance of that name, the default of the family of that name, or, where none is named, the fastest.
const KernelInstance& choose_instance(const GemmProblem& problem, const GemmOptions& options, const Target& target,
                                      GemmConfiguration& chosen) {
  const std::string& name = options.kernel;
  if (const KernelInstance* exact = kernels::find_instance(name)) {
    if (exact->accumulate != problem.accumulate) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("kernel {}: expected a problem that accumulates in {}, found {}", name,
                              to_string(exact->accumulate), to_string(problem.accumulate)),
                  fmt::format("ask for accumulate {}, or for kernel {}", to_string(exact->accumulate), exact->family));
    }
    return *exact;
  }
  if (name.empty()) {
    if (const KernelInstance* fastest = choose_fastest(problem, target, chosen)) {
      return *fastest;
    }
  }
  const std::string family(name.empty() ? std::string(kernels::instances().front().family) : name);
  if (const KernelInstance* found = family_default(family, problem.accumulate)) {
    chosen.reasons.push_back(
        fmt::format("kernel: the default of family {} for accumulate {}", family, to_string(problem.accumulate)));
    return *found;
  }
  refuse_kernel(name);
}

// Throws Error(bad_input) for stages that the instance does not have.
int choose_stages(const KernelInstance& instance, int wanted) {
  if (wanted == 0) {
    return instance.default_stages;
  }
  if (!instance.pipelined()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("stages: expected none, kernel {} has no pipeline; found {}", instance.name, wanted),
                "leave them out, or choose the family multistage");
  }
  if (wanted < instance.min_stages || wanted > instance.max_stages) {
    throw Error(ErrorKind::bad_input, fmt::format("stages: expected {} to {} for kernel {}, found {}",
                                                  instance.min_stages, instance.max_stages, instance.name, wanted));
  }
  return wanted;
}

// Throws StatusError(cannot_run) where a CTA of the arch has less shared memory than the configuration needs.
void check_shared_memory(const GemmConfiguration& chosen) {
  const std::uint32_t available = hw::limits(chosen.arch).shared_bytes_per_cta;
  if (chosen.dynamic_shared_bytes > available) {
    throw StatusError(
        ErrorKind::cannot_run, TILELOOM_STATUS_NOT_SUPPORTED,
        fmt::format("kernel {} with {} stages: expected at most the {} bytes of shared memory that a CTA "
                    "has on {}, found {}",
                    chosen.kernel, chosen.stages, available, to_string(chosen.arch), chosen.dynamic_shared_bytes),
        "ask for fewer stages, or choose a smaller tile");
  }
}

void take_gpu(GemmConfiguration& chosen, const cuda::Ready& ready) {
  chosen.backend = Backend::cuda;
  chosen.arch = ready.device.arch;
  chosen.device = ready.device.name;
  chosen.image = ready.image;
}

void take_emulator(GemmConfiguration& chosen, const KernelInstance& instance, std::optional<hw::Arch> arch) {
  chosen.backend = Backend::emulator;
  chosen.arch = arch.value_or(default_emulated_arch);
  chosen.device = "emulator";
  chosen.image = fmt::format("PTX compute_{}", emulator_image(instance, chosen.arch).target.sm);
}

void choose_backend(GemmConfiguration& chosen, const KernelInstance& instance, const GemmOptions& options) {
  if (options.backend == Backend::emulator) {
    return take_emulator(chosen, instance, options.arch);
  }
  cuda::Obstacle obstacle;
  tileloom_status status = TILELOOM_STATUS_SUCCESS;
  if (const auto ready = cuda::prepare(instance, options.arch, obstacle, status)) {
    if (options.backend == Backend::automatic) {
      chosen.reasons.emplace_back("backend: a GPU is usable");
    }
    return take_gpu(chosen, *ready);
  }
  if (options.backend == Backend::cuda) {
    throw StatusError(ErrorKind::cannot_run, status, "backend cuda: " + obstacle.text, obstacle.hint);
  }
  chosen.reasons.push_back("backend: " + obstacle.text);
  take_emulator(chosen, instance, options.arch);
}

}  // namespace
}  // namespace gemm

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::cuda:
      return "cuda";
    case Backend::emulator:
      return "emulator";
    default:
      return "auto";
  }
}

std::string to_string(const GemmConfiguration& c) {
  std::string text = fmt::format(
      "kernel    {}\n"
      "tile      {} x {} x {}, {} threads\n"
      "shared    {} stages, {} bytes\n"
      "grid      {} CTAs, in bands of {} tile columns (0: no bands)\n"
      "backend   {}, {} ({}), {}",
      c.kernel, c.tile_m, c.tile_n, c.tile_k, c.threads, c.stages, c.dynamic_shared_bytes, c.ctas, c.raster_width,
      to_string(c.backend), c.device, to_string(c.arch), c.image);
  for (const std::string& reason : c.reasons) {
    text += "\nbecause   " + reason;
  }
  for (const std::string& other : c.runners_up) {
    text += "\ninstead   " + other;
  }
  return text;
}

GemmConfiguration configure(const GemmProblem& problem, const GemmOptions& options) {
  check(problem);
  GemmConfiguration chosen;
  const gemm::Target target = gemm::target_of(options);
  const kernels::KernelInstance& instance = gemm::choose_instance(problem, options, target, chosen);
  chosen.kernel = instance.name;
  chosen.family = instance.family;
  chosen.tile_m = instance.tile_m;
  chosen.tile_n = instance.tile_n;
  chosen.tile_k = instance.tile_k;
  chosen.threads = instance.threads;
  chosen.stages = gemm::choose_stages(instance, options.stages);
  chosen.raster_width = options.raster_width.value_or(gemm::raster_width(instance, target.multiprocessors));
  chosen.dynamic_shared_bytes = instance.shared_bytes(chosen.stages);
  chosen.ctas = gemm::checked_grid(instance, problem);
  gemm::choose_backend(chosen, instance, options);
  gemm::check_shared_memory(chosen);
  return chosen;
}

}  // namespace tileloom
