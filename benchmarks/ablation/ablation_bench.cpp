// SPDX-License-Identifier: Apache-2.0
// What each choice of article 2's kernel is worth:
//   ablation_bench ablation_kernels --counts                          counters of the emulator, no GPU
//   ablation_bench ablation_kernels --sizes 4096 8192 -o OUT.json     and TFLOPS
//   ablation_bench ablation_kernels --launch-each 4096                every variant once, for a profiler
//   ablation_bench ablation_kernels --from OUT.json --plot OUT.svg    a picture of saved results
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "ablation/plot.hpp"
#include "ablation/report.hpp"
#include "text/atomic_file.hpp"
#include "tileloom/error.hpp"

namespace {

using namespace tileloom;

struct Request {
  std::string folder;
  std::vector<std::int64_t> sizes{2048, 4096, 8192, 16384};
  std::int64_t launch_each = 0;
  bool counts = false;
  bench::Plan plan{.rounds = 3, .batch_seconds = 0.3};
  std::string revision;
  std::string output;
  std::string from;
  std::string plot;
  std::int64_t plot_size = 8192;
};

std::string today() {
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

void save(const ablation::Variants& variants, const ablation::Results& results, const std::string& path) {
  if (!path.empty()) {
    write_file(path, to_json(variants, results).dump(1) + "\n");
  }
}

void run(const Request& request) {
  if (!request.from.empty()) {
    std::ifstream file(request.from);
    write_file(request.plot, ablation::svg(nlohmann::ordered_json::parse(file), request.plot_size));
    return;
  }
  const ablation::Variants variants = ablation::read_variants(request.folder);
  if (request.launch_each > 0) {
    ablation::Gpu(variants, request.launch_each).launch_each(request.launch_each);
    return;
  }
  ablation::Results results;
  for (const ablation::Kernel& kernel : variants.kernels) {
    results.costs.emplace(kernel.name, ablation::count(kernel));
  }
  results.plan = request.plan;
  if (!request.counts) {
    ablation::Gpu gpu(variants, std::ranges::max(request.sizes));
    results.environment = gpu.environment();
    results.date = today();
    results.revision = request.revision;
    for (const std::int64_t size : request.sizes) {
      results.sizes.push_back(gpu.measure(size, request.plan));
      save(variants, results, request.output);
      fmt::print(stderr, "{} done\n", size);
    }
  }
  save(variants, results, request.output);
  fmt::print("{}", table(variants, results));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What each choice of article 2's kernel is worth", "ablation_bench");
  Request request;
  app.add_option("folder", request.folder, "Folder ablation_kernels of the build")->required();
  app.add_option("--sizes", request.sizes, "m = n = k, multiples of 256")->capture_default_str();
  app.add_option("--rounds", request.plan.rounds)->capture_default_str();
  app.add_option("--seconds", request.plan.batch_seconds, "Of a batch of launches")->capture_default_str();
  app.add_option("--launch-each", request.launch_each, "Launch each variant once at this size, for a profiler");
  app.add_flag("--counts", request.counts, "Only the emulator's counters; needs no GPU");
  app.add_option("--revision", request.revision, "Of the sources, to stand in the JSON");
  auto* from = app.add_option("--from", request.from, "Saved results")->check(CLI::ExistingFile);
  from->needs(app.add_option("--plot", request.plot, "SVG file of the saved results")->needs(from));
  app.add_option("--plot-size", request.plot_size, "Which size it shows")->capture_default_str();
  app.add_option("-o,--output", request.output, "JSON file");
  CLI11_PARSE(app, argc, argv);
  try {
    run(request);
  } catch (const std::exception& error) {  // Error, and what the JSON reader throws
    fmt::print(stderr, "ablation_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
