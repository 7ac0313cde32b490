// SPDX-License-Identifier: Apache-2.0
// Problem -> configuration: which kernel, on what.
#include <fmt/format.h>

#include <vector>

#include "gemm/cuda_backend.hpp"
#include "gemm/emulator_backend.hpp"
#include "gemm/launch.hpp"
#include "gemm/status.hpp"
#include "gemm/suggest.hpp"
#include "tileloom/error.hpp"

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

// The instance of that name, or the default of the family of that name. Empty: the list's first family.
const KernelInstance& choose_instance(const std::string& name, Accumulate accumulate,
                                      std::vector<std::string>& reasons) {
  if (const KernelInstance* exact = kernels::find_instance(name)) {
    if (exact->accumulate != accumulate) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("kernel {}: expected a problem that accumulates in {}, found {}", name,
                              to_string(exact->accumulate), to_string(accumulate)),
                  fmt::format("ask for accumulate {}, or for kernel {}", to_string(exact->accumulate), exact->family));
    }
    return *exact;
  }
  for (const KernelInstance& instance : kernels::instances()) {
    const bool family_fits = name.empty() || instance.family == name;
    if (family_fits && instance.family_default && instance.accumulate == accumulate) {
      reasons.push_back(
          fmt::format("kernel: the default of family {} for accumulate {}", instance.family, to_string(accumulate)));
      return instance;
    }
  }
  refuse_kernel(name);
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
      "kernel   {}\n"
      "tile     {} x {} x {}, {} threads, {} bytes of dynamic shared memory\n"
      "grid     {} CTAs\n"
      "backend  {}, {} ({}), {}",
      c.kernel, c.tile_m, c.tile_n, c.tile_k, c.threads, c.dynamic_shared_bytes, c.ctas, to_string(c.backend), c.device,
      to_string(c.arch), c.image);
  for (const std::string& reason : c.reasons) {
    text += "\nbecause  " + reason;
  }
  return text;
}

GemmConfiguration configure(const GemmProblem& problem, const GemmOptions& options) {
  check(problem);
  GemmConfiguration chosen;
  const kernels::KernelInstance& instance = gemm::choose_instance(options.kernel, problem.accumulate, chosen.reasons);
  chosen.kernel = instance.name;
  chosen.family = instance.family;
  chosen.tile_m = instance.tile_m;
  chosen.tile_n = instance.tile_n;
  chosen.tile_k = instance.tile_k;
  chosen.threads = instance.threads;
  chosen.dynamic_shared_bytes = instance.dynamic_shared_bytes;
  chosen.ctas = gemm::checked_grid(instance, problem);
  gemm::choose_backend(chosen, instance, options);
  return chosen;
}

}  // namespace tileloom
