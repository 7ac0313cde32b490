// SPDX-License-Identifier: Apache-2.0
#include "gemm/emulator_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gemm/launch.hpp"
#include "gemm/problem.hpp"
#include "gemm/status.hpp"
#include "tileloom/emu/emulator.hpp"

namespace tileloom::gemm {
namespace {

// Modules stay decoded until the process ends; launches share them.
const emu::Module& decoded(const kernels::KernelInstance& instance, hw::Arch target) {
  static std::mutex mutex;
  static std::map<std::pair<const kernels::KernelInstance*, hw::Arch>, emu::Module> modules;
  const std::lock_guard lock(mutex);
  auto found = modules.find({&instance, target});
  if (found == modules.end()) {
    std::string name = fmt::format("{}.compute_{}.ptx", instance.name, target.sm);
    emu::Module module = emu::Module::from_ptx(kernels::ptx_text(instance, target), std::move(name));
    found = modules.emplace(std::pair(&instance, target), std::move(module)).first;
  }
  return found->second;
}

std::span<const std::byte> bytes_of(const void* at, std::int64_t bytes) {
  return {static_cast<const std::byte*>(at), static_cast<std::size_t>(bytes)};
}

const void* pointer(emu::DevicePtr at) {
  return reinterpret_cast<const void*>(at.address);
}

// Bytes at an address that a GPU's allocator could give: what an access costs depends on it.
class AlignedCopy {
 public:
  explicit AlignedCopy(std::span<const std::byte> from) : bytes_(from.size() + alignment) {
    void* at = bytes_.data();
    std::size_t space = bytes_.size();
    aligned_ = {static_cast<std::byte*>(std::align(alignment, from.size(), at, space)), from.size()};
    std::ranges::copy(from, aligned_.begin());
  }
  [[nodiscard]] std::span<std::byte> bytes() { return aligned_; }

 private:
  static constexpr std::size_t alignment = 256;
  std::vector<std::byte> bytes_;
  std::span<std::byte> aligned_;
};

std::string target_list(const kernels::KernelInstance& instance) {
  std::string list;
  for (const hw::Arch target : kernels::ptx_targets(instance)) {
    list += fmt::format("{}compute_{}", list.empty() ? "" : ", ", target.sm);
  }
  return list;
}

}  // namespace

hw::Arch emulator_target(const kernels::KernelInstance& instance, hw::Arch arch) {
  const std::optional<hw::Arch> target = kernels::ptx_target(instance, arch);
  if (!target) {
    throw StatusError(ErrorKind::cannot_run, TILELOOM_STATUS_ARCH_MISMATCH,
                      fmt::format("kernel {}: expected an arch that can run one of its images ({}), found {}",
                                  instance.name, target_list(instance), to_string(arch)),
                      fmt::format("choose {} or later", to_string(instance.min_arch)));
  }
  return *target;
}

namespace {

void launch_in_place(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                     const LaunchControl& control, GemmReport& report) {
  const kernels::KernelInstance& instance = *plan.instance;
  const emu::Module& module = decoded(instance, emulator_target(instance, plan.arch));
  emu::Memory memory;
  const std::int64_t d_bytes = extent_bytes(problem.m, problem.n, problem.ldd);
  const emu::DevicePtr a =
      memory.wrap_read_only(bytes_of(operands.a, extent_bytes(problem.m, problem.k, problem.lda)), "A");
  const emu::DevicePtr b =
      memory.wrap_read_only(bytes_of(operands.b, extent_bytes(problem.n, problem.k, problem.ldb)), "B");
  const emu::DevicePtr d =
      memory.wrap_output({static_cast<std::byte*>(operands.d), static_cast<std::size_t>(d_bytes)}, "D");

  const kernels::GemmParams params =
      kernel_params(problem, plan, {pointer(a), pointer(b), const_cast<void*>(pointer(d))});
  emu::LaunchOptions options;
  options.grid = {checked_grid(instance, problem)};
  options.block = {static_cast<std::uint32_t>(instance.threads)};
  options.dynamic_shared_bytes = plan.dynamic_shared_bytes;
  options.arch = plan.arch;
  options.host_threads = control.host_threads;
  options.check = control.check;
  options.count = control.count;
  options.follow = control.follow;
  if (control.progress) {
    options.progress = [&](const emu::Progress& now) { return control.progress(now.ctas_done, now.ctas); };
  }
  emu::LaunchReport emulated =
      emu::launch(module, kernels::entry_name(instance, params.copy_bytes_a, params.copy_bytes_b), options,
                  std::as_bytes(std::span(&params, 1)), memory);
  report.warp_instructions = emulated.warp_instructions;
  report.warnings = std::move(emulated.warnings);
  report.findings = std::move(emulated.findings);
  report.uninitialised_reads = std::move(emulated.uninitialised_reads);
  report.counters = std::move(emulated.counters);
  report.provenance = std::move(emulated.provenance);
}

}  // namespace

void launch_on_emulator(const GemmProblem& problem, const Plan& plan, const GemmOperands& operands,
                        const LaunchControl& control, GemmReport& report) {
  if (!control.count) return launch_in_place(problem, plan, operands, control, report);
  AlignedCopy a(bytes_of(operands.a, extent_bytes(problem.m, problem.k, problem.lda)));
  AlignedCopy b(bytes_of(operands.b, extent_bytes(problem.n, problem.k, problem.ldb)));
  AlignedCopy d(bytes_of(operands.d, extent_bytes(problem.m, problem.n, problem.ldd)));
  launch_in_place(problem, plan, {a.bytes().data(), b.bytes().data(), d.bytes().data()}, control, report);
  std::ranges::copy(d.bytes(), static_cast<std::byte*>(operands.d));
}

}  // namespace tileloom::gemm
