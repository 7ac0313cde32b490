// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_output.hpp"

#include <cstdlib>
#include <sstream>

#include "render/bench_csv.hpp"
#include "render/bench_plot.hpp"

namespace tileloom::cli {
namespace {

std::optional<AtomicFile> opened(const std::string& path) {
  return path.empty() ? std::nullopt : std::optional<AtomicFile>(path);
}

void finish(std::optional<AtomicFile>& file, const std::string& text) {
  file->append(text.data(), text.size());
  file->commit();
}

}  // namespace

BenchFiles::BenchFiles(const BenchRequest& request)
    : output_(opened(request.output)), csv_(opened(request.csv)), plot_(opened(request.plot)) {}

void BenchFiles::write(const bench::Report& report, const Json& json) {
  if (output_) {
    finish(output_, json_text(json));
  }
  if (csv_) {
    finish(csv_, render::bench_csv(report));
  }
  if (plot_) {
    std::ostringstream text;
    render::write_plot(text, render::bench_plot(report));
    finish(plot_, text.str());
  }
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') {
      const std::string text = value;
      return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
    }
  }
  return false;
}

}  // namespace tileloom::cli
