// SPDX-License-Identifier: Apache-2.0
#include "ablation/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tileloom::ablation {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json costs_json(const Costs& costs) {
  Json json = Json::object();
  for (const auto& [name, c] : costs) {
    json[name] = {{"warp_instructions", c.executions},
                  {"wavefronts", c.wavefronts},
                  {"ideal_wavefronts", c.ideal_wavefronts},
                  {"sectors", c.sectors},
                  {"ideal_sectors", c.ideal_sectors}};
  }
  return json;
}

Json kernel_json(const Kernel& k, const KernelCosts& costs) {
  return {{"name", k.name},
          {"accumulate", k.accumulate == Accumulate::f16 ? "f16" : "f32"},
          {"tile", {k.tile_m, k.tile_n, k.tile_k}},
          {"threads", k.threads},
          {"stages", k.stages},
          {"shared_bytes", k.shared_bytes()},
          {"registers", k.registers},
          {"spilled_bytes", k.spilled},
          {"ctas_per_sm", k.ctas_per_sm()},
          {"mma_sync_per_k_tile", k.mma_per_tile()},
          {"per_k_tile", costs_json(costs.per_tile)},
          {"rest", costs_json(costs.rest)}};
}

Json time_json(const VariantTime& v) {
  return {{"name", v.name},
          {"tflops", v.tflops},
          {"share_of_ceiling", v.share_of_ceiling},
          {"launches_per_round", v.timing.batch},
          {"seconds_per_launch", v.timing.seconds},
          {"spread", v.seconds.spread()},
          {"sm_mhz", or_null(v.sm_mhz)},
          {"watts", or_null(v.watts)}};
}

Json environment_json(const bench::Environment& e) {
  return {{"device", e.device}, {"multiprocessors", e.multiprocessors}, {"l2_bytes", e.l2_bytes},
          {"driver", e.driver}, {"driver_cuda_version", e.cuda},        {"compiler", e.kernel_compiler}};
}

// Cycles of an SM for one m16n8k16 with f16 sums, by the ceilings and the clock while they ran.
std::optional<double> cycles_per_mma(const Results& results) {
  std::vector<double> cycles;
  for (const SizeTimes& size : results.sizes) {
    const VariantTime& ceiling = *(size.variants.end() - 2);
    if (ceiling.sm_mhz) {
      constexpr double flops = 2.0 * 16 * 8 * 16;
      cycles.push_back(flops * results.environment->multiprocessors * *ceiling.sm_mhz * 1e6 / (ceiling.tflops * 1e12));
    }
  }
  return cycles.empty() ? std::nullopt : std::optional(bench::summarise(cycles).median);
}

}  // namespace

Json to_json(const Variants& variants, const Results& results) {
  Json json = {{"ablation", variants.variants.front().what}, {"environment", nullptr}};
  if (results.environment) {
    json["environment"] = environment_json(*results.environment);
    json["date"] = results.date;
    json["revision"] = results.revision;
    json["method"] = {
        {"rounds", results.plan.rounds},
        {"batch_seconds", results.plan.batch_seconds},
        {"order", "every round runs each variant once, first untimed, then timed; the order rotates"},
        {"verification", "the first variant of each type of sums against float64, the others bit for bit against it"}};
  }
  for (const Kernel& kernel : variants.kernels) {
    json["kernels"].push_back(kernel_json(kernel, results.costs.at(kernel.name)));
  }
  for (const Variant& v : variants.variants) {
    json["variants"].push_back({{"name", v.name},
                                {"switch", v.what},
                                {"kernel", v.kernel->name},
                                {"raster_width_tiles", v.raster_width},
                                {"full_carveout", v.full_carveout}});
  }
  json["cycles_per_mma"] = or_null(cycles_per_mma(results));
  json["sizes"] = Json::array();
  for (const SizeTimes& size : results.sizes) {
    Json row = {{"size", size.size},
                {"relative_error", {{"f16", size.relative_error_f16}, {"f32", size.relative_error_f32}}}};
    std::ranges::transform(size.variants, std::back_inserter(row["variants"]), time_json);
    json["sizes"].push_back(row);
  }
  return json;
}

std::string table(const Variants& variants, const Results& results) {
  std::string text = fmt::format("{:<26} {:>4} {:>3} {:>9} {:>9}", "variant", "regs", "CTA", "instr/mma", "waves/mma");
  for (const SizeTimes& size : results.sizes) {
    text += fmt::format(" {:>12}", size.size);
  }
  text += '\n';
  for (std::size_t i = 0; i < variants.variants.size() + 2; ++i) {
    if (i < variants.variants.size()) {
      const Variant& v = variants.variants[i];
      const Kernel& k = *v.kernel;
      const KernelCosts& costs = results.costs.at(k.name);
      text +=
          fmt::format("{:<26} {:>4} {:>3} {:>9.2f} {:>9.2f}", v.what, k.registers, k.ctas_per_sm(),
                      costs.per_tile_instructions() / k.mma_per_tile(), costs.per_tile_wavefronts() / k.mma_per_tile());
    } else if (!results.sizes.empty()) {
      text += fmt::format("{:<55}", results.sizes.front().variants[i].name);
    } else {
      continue;
    }
    for (const SizeTimes& size : results.sizes) {
      const VariantTime& t = size.variants[i];
      text += fmt::format(" {:>5.0f} {:>4.1f} %", t.tflops, 100 * t.share_of_ceiling);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tileloom::ablation
