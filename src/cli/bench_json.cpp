// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_json.hpp"

namespace tileloom::cli {
namespace {

Json or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json check_json(const bench::SpotCheck& check) {
  return {{"elements", check.elements},
          {"computed_again", check.report.elements},
          {"unwritten", check.unwritten},
          {"relative_error", json_number(check.report.relative_error())},
          {"max_error", json_number(check.report.max_error)}};
}

Json contender_json(const bench::ShapeResult& result, const bench::ContenderResult& c) {
  return {{"label", c.label},
          {"kernel", or_null(c.kernel)},
          {"stages", c.stages},
          {"raster_width_tiles", c.raster_width},
          {"verification", check_json(c.check)},
          {"launches_per_round", c.timing.batch},
          {"seconds_per_launch", c.timing.seconds},
          {"seconds",
           {{"min", c.seconds.min}, {"median", c.seconds.median}, {"mean", c.seconds.mean}, {"max", c.seconds.max}}},
          {"tflops", c.tflops},
          {"speed_over_cublas", or_null(result.ratio_to_cublas(c))},
          {"sm_mhz", or_null(c.sm_mhz)},
          {"watts", or_null(c.watts)}};
}

}  // namespace

Json environment_json(const bench::Environment& e) {
  return {{"device", e.device},
          {"arch", to_string(e.arch)},
          {"multiprocessors", e.multiprocessors},
          {"l2_bytes", e.l2_bytes},
          {"driver", or_null(e.driver)},
          {"driver_cuda_version", e.cuda},
          {"kernel_compiler", e.kernel_compiler},
          {"cublas", or_null(e.cublas)}};
}

Json method_json(const bench::Plan& plan) {
  return {{"timer", "events around one CUDA graph of many launches"},
          {"order", "each round runs every contender once, in rotating order"},
          {"buffers", "hot: every launch uses the same operands and the same D"},
          {"rounds", plan.rounds},
          {"batch_seconds", plan.batch_seconds},
          {"max_launches_per_round", plan.max_batch},
          {"tflops", "2 m n k / median seconds / 10^12"},
          {"verification",
           "before timing, D filled with NaN; one row and one column of each 64, or all elements, against float64"}};
}

Json contenders_json(const bench::ShapeResult& result) {
  Json list = Json::array();
  for (const bench::ContenderResult& contender : result.contenders) {
    list.push_back(contender_json(result, contender));
  }
  return list;
}

}  // namespace tileloom::cli
