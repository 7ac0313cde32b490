// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_list.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "cli/bench_json.hpp"

namespace tileloom::cli {
namespace {

GemmConfiguration configured(const BenchRequest& request, const bench::Shape& shape,
                             const bench::Contender& contender) {
  GemmOptions options = contender.options;
  options.backend = Backend::emulator;
  return configure(problem_of(shape, request.accumulate), options);
}

Json listed_json(const BenchRequest& request, const bench::Shape& shape) {
  Json contenders = Json::array();
  for (const bench::Contender& contender : request.contenders) {
    Json json = asked_json(contender);
    if (contender.kind == bench::ContenderKind::kernel) {
      const GemmConfiguration c = configured(request, shape, contender);
      json["kernel"] = c.kernel;
      json["stages"] = c.stages;
      json["raster_width_tiles"] = c.raster_width;
    }
    contenders.push_back(json);
  }
  Json json = shape_json(shape);
  json["contenders"] = contenders;
  return json;
}

double least_seconds(const BenchRequest& request) {
  const double timing =
      static_cast<double>(request.contenders.size()) * request.plan.rounds * request.plan.batch_seconds;
  return static_cast<double>(request.shapes.size()) * (timing + request.plan.settle_seconds);
}

void list_text(std::ostream& out, const BenchRequest& request) {
  fmt::print(out, "{} shapes, {} contenders, {} rounds: at least {:.0f} s on the GPU\n", request.shapes.size(),
             request.contenders.size(), request.plan.rounds, least_seconds(request));
  fmt::print(out, "{} accumulation, {} buffers{}\n\n", to_string(request.accumulate),
             request.plan.cold ? "cold" : "hot", request.ceilings ? ", ceilings first" : "");
  for (const bench::Shape& shape : request.shapes) {
    fmt::print(out, "{}{}{}\n", to_string(shape), shape.name.empty() ? "" : "  ", shape.name);
    for (const bench::Contender& contender : request.contenders) {
      if (contender.kind != bench::ContenderKind::kernel) {
        fmt::print(out, "  {}\n", contender.label);
        continue;
      }
      const GemmConfiguration c = configured(request, shape, contender);
      fmt::print(out, "  {:<30} {}, {} stages, bands of {}\n", contender.label, c.kernel, c.stages, c.raster_width);
    }
  }
}

}  // namespace

void list_bench(std::ostream& out, const BenchRequest& request, const std::vector<std::string>& argv) {
  if (!request.json) {
    return list_text(out, request);
  }
  Json json = json_report("tileloom.bench-list/1", argv);
  json["request"] = request_json(request);
  json["least_seconds"] = least_seconds(request);
  json["shapes"] = Json::array();
  for (const bench::Shape& shape : request.shapes) {
    json["shapes"].push_back(listed_json(request, shape));
  }
  out << json_text(json);
}

}  // namespace tileloom::cli
