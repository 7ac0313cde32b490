// SPDX-License-Identifier: Apache-2.0
#include "ablation/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "tileloom/error.hpp"
#include "tileloom/hw/limits.hpp"

namespace tileloom::ablation {
namespace {

using Json = nlohmann::json;

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected a file, found none", path),
                "build the target ablation and name its folder ablation_kernels");
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

int reported(const std::string& log, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(log, match, std::regex(pattern)) ? std::stoi(match[1]) : 0;
}

Kernel read_kernel(const std::string& folder, const Json& row) {
  Kernel kernel;
  kernel.name = row.at("name");
  kernel.accumulate = row.at("accumulate") == "f16" ? Accumulate::f16 : Accumulate::f32;
  kernel.tile_m = row.at("tile").at(0);
  kernel.tile_n = row.at("tile").at(1);
  kernel.tile_k = row.at("tile").at(2);
  kernel.threads = 32 * row.at("warps").at(0).get<int>() * row.at("warps").at(1).get<int>();
  kernel.stages = row.at("stages");
  const std::string path = folder + "/" + kernel.name;
  kernel.ptx = read(path + ".ptx");
  kernel.machine_code = read(path + ".cubin");
  const std::string log = read(path + ".cubin.log");
  kernel.registers = reported(log, "Used ([0-9]+) registers");
  kernel.spilled = reported(log, "([0-9]+) bytes spill stores");
  return kernel;
}

}  // namespace

unsigned Kernel::grid(const GemmProblem& problem) const {
  return static_cast<unsigned>(problem.m / tile_m * (problem.n / tile_n));
}

int Kernel::ctas_per_sm() const {
  const hw::Limits limits = hw::limits(hw::sm_90);
  const auto round_up = [](std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; };
  const auto warps = static_cast<std::uint32_t>(threads) / 32;
  const std::uint32_t warp_registers =
      round_up(32 * static_cast<std::uint32_t>(registers), limits.register_allocation_unit);
  const std::uint32_t cta_shared = round_up(
      static_cast<std::uint32_t>(shared_bytes()) + limits.reserved_shared_bytes_per_cta, limits.shared_allocation_unit);
  return static_cast<int>(
      std::min(limits.registers_per_sm / (warp_registers * warps), limits.shared_bytes_per_sm / cta_shared));
}

Variants read_variants(const std::string& folder) {
  const Json list = Json::parse(read(folder + "/variants.json"));
  Variants all;
  for (const Json& row : list.at("kernels")) {
    all.kernels.push_back(read_kernel(folder, row));
  }
  for (const Json& row : list.at("variants")) {
    const auto kernel = std::ranges::find(all.kernels, row.at("kernel").get<std::string>(), &Kernel::name);
    if (kernel == all.kernels.end()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("variants.json: {}: expected the name of a kernel, found '{}'",
                              row.at("name").get<std::string>(), row.at("kernel").get<std::string>()));
    }
    all.variants.push_back(
        {row.at("name"), row.at("switch"), &*kernel, row.at("raster_width"), row.at("full_carveout")});
  }
  return all;
}

kernels::GemmParams params(const Variant& variant, const GemmProblem& problem, const GemmOperands& operands) {
  return {operands.a,
          operands.b,
          operands.d,
          problem.m,
          problem.n,
          problem.k,
          problem.lda,
          problem.ldb,
          problem.ldd,
          variant.raster_width,
          variant.kernel->stages,
          16,
          16};
}

}  // namespace tileloom::ablation
