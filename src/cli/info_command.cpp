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

constexpr hw::Arch figures_arch = hw::sm_90;  // whose ptxas figures the table shows; the JSON has all

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

// Of the instance's entries on an arch, side by side: `254, 255`.
std::string ptxas_column(const KernelInstance& instance, hw::Arch arch, int kernels::EntryResources::*field) {
  std::string column;
  for (const std::string& entry : kernels::entry_names(instance)) {
    const auto figures = kernels::resources(entry, arch);
    column += (column.empty() ? "" : ", ") + (figures ? fmt::format("{}", (*figures).*field) : "-");
  }
  return column;
}

Json resources_json(const KernelInstance& instance) {
  Json list = Json::array();
  for (const std::string& entry : kernels::entry_names(instance)) {
    for (const hw::Arch target : kernels::ptx_targets(instance)) {
      if (const auto r = kernels::resources(entry, target)) {
        list.push_back({{"entry", entry},
                        {"arch", to_string(target)},
                        {"registers", r->registers},
                        {"stack_bytes", r->stack_bytes},
                        {"spilled_bytes", r->spilled_bytes},
                        {"static_shared_bytes", r->static_shared_bytes}});
      }
    }
  }
  return list;
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
  fmt::print("\n{:<{}}  sum in  tile        threads  stages  shared B  registers  spilled  from\n", "kernel", width);
  for (const KernelInstance& i : kernels::instances()) {
    fmt::print("{:<{}}  {:<6}  {:<10}  {:>7}  {:<6}  {:>8}  {:<9}  {:<7}  {}\n", i.name, width, to_string(i.accumulate),
               fmt::format("{}x{}x{}", i.tile_m, i.tile_n, i.tile_k), i.threads, stages_of(i),
               i.shared_bytes(i.default_stages), ptxas_column(i, figures_arch, &kernels::EntryResources::registers),
               ptxas_column(i, figures_arch, &kernels::EntryResources::spilled_bytes), to_string(i.min_arch));
  }
  fmt::print("PTX for {}\n", images_of(kernels::instances().front()));
  fmt::print("registers and spilled bytes are a thread's on {}, by ptxas: copies of 16 bytes, narrower copies\n",
             to_string(figures_arch));
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
                    {"ptxas", resources_json(i)},
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
