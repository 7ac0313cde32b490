// SPDX-License-Identifier: Apache-2.0
#include "gpu/results.hpp"

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "kernels/instances.hpp"
#include "support/run_on.hpp"
#include "tileloom/version.hpp"

namespace tileloom::test {

void write_results(const std::string& name, const nlohmann::json& content) {
  const char* folder = std::getenv("TILELOOM_RESULTS");
  if (folder == nullptr) {
    return;
  }
  const GpuInfo gpu = gpu_info();
  const char* revision = std::getenv("TILELOOM_REVISION");
  std::array<char, 32> date{};
  const std::time_t now = std::time(nullptr);
  std::strftime(date.data(), date.size(), "%Y-%m-%d", std::gmtime(&now));
  nlohmann::ordered_json report = {{"schema", "tileloom." + name + "/1"},
                                   {"tileloom", TILELOOM_VERSION},
                                   {"git_revision", revision == nullptr ? "" : revision},
                                   {"date", date.data()},
                                   {"device", gpu.name},
                                   {"arch", to_string(gpu.arch)},
                                   {"driver_cuda", gpu.driver},
                                   {"kernels_compiled_by", kernels::ptx_compiler()}};
  report.update(nlohmann::ordered_json(content));
  std::ofstream(std::string(folder) + "/" + name + ".json") << report.dump(1) << "\n";
}

}  // namespace tileloom::test
