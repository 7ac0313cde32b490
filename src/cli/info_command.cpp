// SPDX-License-Identifier: Apache-2.0
// `tileloom info`
#include <fmt/format.h>

#include <memory>

#include "cli/build_info.hpp"
#include "cli/command.hpp"
#include "cli/report.hpp"
#include "gemm/cuda_backend.hpp"
#include "kernels/instances.hpp"
#include "tileloom/error.hpp"
#include "tileloom/version.hpp"

namespace tileloom::cli {
namespace {

using kernels::KernelInstance;

// What this machine offers; `obstacle` says why there is no GPU.
struct Machine {
  std::string driver;  // CUDA version, empty without a driver
  std::vector<cuda::Device> devices;
  cuda::Obstacle obstacle;
};

Machine look_around() {
  Machine machine;
  try {
    machine.driver = cuda::driver_version();
    machine.devices = cuda::devices(machine.obstacle);
  } catch (const Error& error) {  // a driver that fails is something to report, not to fail with
    machine.obstacle = {error.what(), error.hint()};
  }
  return machine;
}

std::string gib(std::size_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / (1U << 30U));
}

std::string images_of(const KernelInstance& instance) {
  std::string images;
  for (const hw::Arch target : kernels::ptx_targets(instance)) {
    images += fmt::format("{}compute_{}", images.empty() ? "" : " ", target.sm);
  }
  return images;
}

// `2-5`, `1`, or `-` for a kernel without shared memory.
std::string stages_of(const KernelInstance& instance) {
  if (!instance.uses_shared_memory()) {
    return "-";
  }
  return instance.pipelined() ? fmt::format("{}-{}", instance.min_stages, instance.max_stages)
                              : fmt::format("{}", instance.default_stages);
}

std::string kernels_made_by() {
  return kernels::built_with_cuda() ? fmt::format("compiled here by {}, machine code included", kernels::ptx_compiler())
                                    : fmt::format("committed PTX, made by {}", kernels::ptx_compiler());
}

void print_backends(const Machine& machine) {
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const cuda::Device& device = machine.devices[i];
    fmt::print("GPU {}     {}, {}, {} GiB, driver for CUDA {}\n", i, device.name, to_string(device.arch),
               gib(device.memory_bytes), machine.driver);
  }
  if (machine.devices.empty()) {
    fmt::print("cuda      not usable: {}\n", machine.obstacle.text);
    fmt::print("          {}\n", machine.obstacle.hint);
  }
  fmt::print("emulator  usable\n");
}

void print_kernels() {
  std::size_t width = std::string_view("kernel").size();
  for (const KernelInstance& instance : kernels::instances()) {
    width = std::max(width, instance.name.size());
  }
  fmt::print("\n{:<{}}  accumulate  tile           threads  stages  shared bytes  from   PTX\n", "kernel", width);
  for (const KernelInstance& i : kernels::instances()) {
    fmt::print("{:<{}}  {:<10}  {:<13}  {:>7}  {:<6}  {:>12}  {:<5}  {}\n", i.name, width, to_string(i.accumulate),
               fmt::format("{}x{}x{}", i.tile_m, i.tile_n, i.tile_k), i.threads, stages_of(i),
               i.shared_bytes(i.default_stages), to_string(i.min_arch), images_of(i));
  }
}

void print_text(const Machine& machine) {
  const std::string revision =
      *git_revision == '\0' ? "" : fmt::format(", git {:.12}{}", git_revision, git_dirty ? " with changes" : "");
  fmt::print("tileloom  {}{}\n", TILELOOM_VERSION, revision);
  fmt::print("build     {}, {}\n", TILELOOM_BUILD_TYPE, TILELOOM_COMPILER);
  fmt::print("kernels   {}\n", kernels_made_by());
  print_backends(machine);
  print_kernels();
}

Json devices_json(const Machine& machine) {
  Json devices = Json::array();
  for (const cuda::Device& device : machine.devices) {
    devices.push_back({{"name", device.name}, {"arch", to_string(device.arch)}, {"memory_bytes", device.memory_bytes}});
  }
  return devices;
}

Json kernels_json() {
  Json list = Json::array();
  for (const KernelInstance& i : kernels::instances()) {
    Json targets = Json::array();
    for (const hw::Arch target : kernels::ptx_targets(i)) {
      targets.push_back(fmt::format("compute_{}", target.sm));
    }
    list.push_back({{"name", i.name},
                    {"family", i.family},
                    {"family_default", i.family_default},
                    {"accumulate", to_string(i.accumulate)},
                    {"tile", {i.tile_m, i.tile_n, i.tile_k}},
                    {"threads_per_cta", i.threads},
                    {"stages", {{"least", i.min_stages}, {"default", i.default_stages}, {"most", i.max_stages}}},
                    {"shared_bytes_per_stage", i.stage_bytes},
                    {"min_arch", to_string(i.min_arch)},
                    {"ptx", targets}});
  }
  return list;
}

void print_info_json(const Machine& machine, const std::vector<std::string>& argv) {
  Json json = json_report("tileloom.info/1", argv);
  json["build"] = {{"type", TILELOOM_BUILD_TYPE},
                   {"compiler", TILELOOM_COMPILER},
                   {"cuda", kernels::built_with_cuda()},
                   {"ptx_compiler", kernels::ptx_compiler()}};
  json["cuda"] = {{"usable", !machine.devices.empty()},
                  {"driver_cuda_version", machine.driver.empty() ? Json(nullptr) : Json(machine.driver)},
                  {"missing", machine.devices.empty() ? Json(machine.obstacle.text) : Json(nullptr)},
                  {"hint", machine.devices.empty() ? Json(machine.obstacle.hint) : Json(nullptr)},
                  {"devices", devices_json(machine)}};
  json["kernels"] = kernels_json();
  print_json(json);
}

}  // namespace

void add_info_command(CLI::App& program, Invocation& invocation) {
  CLI::App* verb = add_verb(program, "info", "version, build, devices, kernels, and what is missing here");
  const auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "print one JSON object instead of text");
  verb->callback([json, &invocation] {
    invocation.run = [json, &invocation] {
      const Machine machine = look_around();
      if (*json) {
        print_info_json(machine, invocation.argv);
      } else {
        print_text(machine);
      }
      return 0;
    };
  });
}

}  // namespace tileloom::cli
