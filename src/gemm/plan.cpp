// SPDX-License-Identifier: Apache-2.0
// Problem -> which kernel, on what.
#include "gemm/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gemm/cost_model.hpp"
#include "gemm/cuda_backend.hpp"
#include "gemm/cuda_kernels.hpp"
#include "gemm/emulator_backend.hpp"
#include "gemm/launch.hpp"
#include "gemm/status.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"
#include "tileloom/hw/limits.hpp"

namespace tileloom::gemm {
namespace {

using kernels::KernelInstance;

constexpr hw::Arch default_emulated_arch = hw::sm_90;
constexpr std::size_t most_runners_up = 3;

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

// Where the kernel will run, as far as a choice needs to know: the GPU if it may be taken, else what is emulated.
Target target_of(const GemmOptions& options) {
  cuda::Obstacle ignored;
  const auto gpu = options.backend == Backend::emulator ? std::nullopt : cuda::usable_device(ignored);
  if (gpu) {
    const cuda::Device& device = cuda::facts(*gpu);
    if (options.arch.value_or(device.arch) == device.arch) {
      return {device.arch, device.multiprocessors};
    }
  }
  return typical_target(options.arch.value_or(default_emulated_arch));
}

void explain(const std::vector<Estimate>& ranked, const Target& target, Words& words) {
  words.reasons.push_back(fmt::format("kernel: {}, for {} SMs of {}", to_string(ranked.front()), target.multiprocessors,
                                      to_string(target.arch)));
  for (std::size_t i = 1; i < std::min(ranked.size(), 1 + most_runners_up); ++i) {
    words.runners_up.push_back(fmt::format("{}: {}", ranked[i].instance->name, to_string(ranked[i])));
  }
}

// The fastest by estimate of the list's first family; nullptr where none fits.
const KernelInstance* choose_fastest(const GemmProblem& problem, const Target& target, Words* words) {
  const std::vector<Estimate> ranked = rank(problem, kernels::instances().front().family, target);
  if (ranked.empty()) {
    return nullptr;
  }
  if (words != nullptr) {
    explain(ranked, target, *words);
  }
  return ranked.front().instance;
}

const KernelInstance* family_default(std::string_view family, Accumulate accumulate) {
  const auto found = std::ranges::find_if(kernels::instances(), [&](const KernelInstance& i) {
    return i.family == family && i.family_default && i.accumulate == accumulate;
  });
  return found == kernels::instances().end() ? nullptr : &*found;
}

// The instance of that name, the default of the family of that name, or, where none is named, the fastest.
const KernelInstance& choose_instance(const GemmProblem& problem, const std::string& name, const Target& target,
                                      Words* words) {
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
    if (const KernelInstance* fastest = choose_fastest(problem, target, words)) {
      return *fastest;
    }
  }
  const std::string_view family = name.empty() ? kernels::instances().front().family : std::string_view(name);
  if (const KernelInstance* found = family_default(family, problem.accumulate)) {
    if (words != nullptr) {
      words->reasons.push_back(
          fmt::format("kernel: the default of family {} for accumulate {}", family, to_string(problem.accumulate)));
    }
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

// Throws StatusError(cannot_run) where a CTA of the arch has less shared memory than the plan needs.
void check_shared_memory(const Plan& plan) {
  const std::uint32_t available = hw::limits(plan.arch).shared_bytes_per_cta;
  if (plan.dynamic_shared_bytes > available) {
    throw StatusError(
        ErrorKind::cannot_run, TILELOOM_STATUS_NOT_SUPPORTED,
        fmt::format("kernel {} with {} stages: expected at most the {} bytes of shared memory that a CTA "
                    "has on {}, found {}",
                    plan.instance->name, plan.stages, available, to_string(plan.arch), plan.dynamic_shared_bytes),
        "ask for fewer stages, or choose a smaller tile");
  }
}

void take_gpu(Plan& plan, const cuda::Device& device, Words* words) {
  plan.backend = Backend::cuda;
  plan.device = device.handle;
  plan.arch = device.arch;
  if (words != nullptr) {
    words->device = device.name;
    words->image = cuda::image_name(*plan.instance, plan.arch);
  }
}

void take_emulator(Plan& plan, std::optional<hw::Arch> arch, Words* words) {
  plan.backend = Backend::emulator;
  plan.arch = arch.value_or(default_emulated_arch);
  const hw::Arch target = emulator_target(*plan.instance, plan.arch);
  if (words != nullptr) {
    words->device = "emulator";
    words->image = fmt::format("PTX compute_{}", target.sm);
  }
}

void choose_backend(Plan& plan, const GemmOptions& options, Words* words) {
  if (options.backend == Backend::emulator) {
    return take_emulator(plan, options.arch, words);
  }
  cuda::Obstacle obstacle;
  tileloom_status status = TILELOOM_STATUS_SUCCESS;
  if (const cuda::Device* device = cuda::prepare(*plan.instance, options.arch, obstacle, status)) {
    if (options.backend == Backend::automatic && words != nullptr) {
      words->reasons.emplace_back("backend: a GPU is usable");
    }
    return take_gpu(plan, *device, words);
  }
  if (options.backend == Backend::cuda) {
    throw StatusError(ErrorKind::cannot_run, status, "backend cuda: " + obstacle.text, obstacle.hint);
  }
  if (words != nullptr) {
    words->reasons.push_back("backend: " + obstacle.text);
  }
  take_emulator(plan, options.arch, words);
}

}  // namespace

Plan make_plan(const GemmProblem& problem, const GemmOptions& options, Words* words) {
  Plan plan;
  const Target target = target_of(options);
  plan.instance = &choose_instance(problem, options.kernel, target, words);
  plan.stages = choose_stages(*plan.instance, options.stages);
  plan.raster_width = options.raster_width.value_or(raster_width(*plan.instance, target.multiprocessors));
  plan.dynamic_shared_bytes = plan.instance->shared_bytes(plan.stages);
  static_cast<void>(checked_grid(*plan.instance, problem));
  choose_backend(plan, options, words);
  check_shared_memory(plan);
  return plan;
}

}  // namespace tileloom::gemm
