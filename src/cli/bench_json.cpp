// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_json.hpp"

namespace tileloom::cli {
namespace {

using bench::ContenderKind;

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

Json seconds_json(const bench::Summary& seconds) {
  return {{"min", seconds.min}, {"q1", seconds.q1},     {"median", seconds.median},
          {"q3", seconds.q3},   {"mean", seconds.mean}, {"max", seconds.max}};
}

Json contender_json(const bench::ShapeResult& result, const bench::ContenderResult& c) {
  return {{"label", c.label},
          {"kind", to_string(c.kind)},
          {"kernel", or_null(c.kernel)},
          {"algorithm", or_null(c.algorithm)},
          {"stages", c.stages},
          {"raster_width_tiles", c.raster_width},
          {"verification", check_json(c.check)},
          {"launches_per_round", c.timing.batch},
          {"seconds_per_launch", c.timing.seconds},
          {"seconds", seconds_json(c.seconds)},
          {"spread", c.spread},
          {"noisy", c.noisy},
          {"tflops", c.tflops},
          {"speed_over_cublas", or_null(result.ratio_to(ContenderKind::cublas, c))},
          {"speed_over_cublaslt_best", or_null(result.ratio_to(ContenderKind::cublaslt_best, c))},
          {"sm_mhz", or_null(c.sm_mhz)},
          {"watts", or_null(c.watts)}};
}

Json change_json(const bench::Change& change) {
  Json json = shape_json(change.shape);
  json.update({{"label", change.label},
               {"tflops_before", change.before},
               {"tflops_after", change.after},
               {"speed", change.speed},
               {"spreads", change.allowed},
               {"changed", change.real()}});
  return json;
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
  return {
      {"timer", "events around one CUDA graph of many launches"},
      {"order", "each round runs every contender once, one behind the other, in changing order"},
      {"buffers", plan.cold ? "cold: launches go round operands of more than twice the L2"
                            : "hot: every launch uses the same operands and the same D"},
      {"rounds", plan.rounds},
      {"more_rounds", "up to twice as many while a median is noisy"},
      {"batch_seconds", plan.batch_seconds},
      {"max_launches_per_round", plan.max_batch},
      {"settle_seconds", plan.settle_seconds},
      {"sustained_seconds", plan.sustained_seconds},
      {"tflops", "2 m n k / median seconds / 10^12"},
      {"spread", "distance of the quartiles / median of seconds_per_launch"},
      {"noisy", "standard error of the median / median, 0.93 (q3 - q1) / sqrt(rounds) / median, is above noisy_above"},
      {"noisy_above", bench::noise_bound},
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

Json asked_json(const bench::Contender& contender) {
  const bool ours = contender.kind == ContenderKind::kernel;
  const GemmOptions& o = contender.options;
  return {{"label", contender.label},
          {"kind", to_string(contender.kind)},
          {"kernel", ours ? or_null(o.kernel) : Json(nullptr)},
          {"stages", ours && o.stages > 0 ? Json(o.stages) : Json(nullptr)},
          {"raster_width_tiles", o.raster_width ? Json(*o.raster_width) : Json(nullptr)}};
}

Json request_json(const BenchRequest& request) {
  Json contenders = Json::array();
  for (const bench::Contender& contender : request.contenders) {
    contenders.push_back(asked_json(contender));
  }
  Json shapes = Json::array();
  for (const bench::Shape& shape : request.shapes) {
    shapes.push_back(shape_json(shape));
  }
  return {{"article", request.article > 0 ? Json(request.article) : Json(nullptr)},
          {"accumulate", to_string(request.accumulate)},
          {"dtype", "f16"},
          {"buffers", request.plan.cold ? "cold" : "hot"},
          {"rounds", request.plan.rounds},
          {"sustained_seconds", request.plan.sustained_seconds},
          {"seed", request.seed},
          {"ceilings", request.ceilings},
          {"contenders", contenders},
          {"shapes", shapes}};
}

Json shape_json(const bench::Shape& shape) {
  return {{"name", or_null(shape.name)}, {"m", shape.m}, {"n", shape.n}, {"k", shape.k}};
}

Json measured_json(const bench::MeasuredShape& measured) {
  Json json = shape_json(measured.shape);
  json["operand_sets"] = measured.result.operand_sets;
  json["contenders"] = contenders_json(measured.result);
  return json;
}

Json ceilings_json(const std::vector<bench::Ceiling>& ceilings) {
  Json list = Json::array();
  for (const bench::Ceiling& c : ceilings) {
    list.push_back({{"name", c.name},
                    {"unit", c.unit},
                    {"burst", c.burst},
                    {"sustained", c.sustained},
                    {"sm_mhz", or_null(c.sm_mhz)},
                    {"watts", or_null(c.watts)}});
  }
  return list;
}

Json summary_json(const bench::Report& report) {
  Json ratios = Json::array();
  for (const bench::RatioSummary& s : bench::summarise(report)) {
    ratios.push_back({{"label", s.label},
                      {"over", s.over},
                      {"shapes", s.shapes},
                      {"geomean", s.geomean},
                      {"worst", s.worst},
                      {"worst_shape", to_string(s.worst_shape)},
                      {"best", s.best},
                      {"best_shape", to_string(s.best_shape)}});
  }
  const bench::NoiseSummary noise = bench::noise(report);
  return {{"speeds", ratios}, {"timings", noise.timings}, {"noisy", noise.noisy}};
}

Json comparison_json(const std::string& file, const bench::Report& before, const bench::Comparison& comparison) {
  Json changes = Json::array();
  for (const bench::Change& change : comparison.changes) {
    changes.push_back(change_json(change));
  }
  Json summary = Json::array();
  for (const bench::ChangeSummary& s : comparison.summary) {
    summary.push_back(
        {{"label", s.label}, {"shapes", s.shapes}, {"geomean", s.geomean}, {"faster", s.faster}, {"slower", s.slower}});
  }
  return {{"file", file},
          {"device", before.environment.device},
          {"date", before.date},
          {"summary", summary},
          {"changes", changes},
          {"only_before", comparison.only_before},
          {"only_after", comparison.only_after}};
}

}  // namespace tileloom::cli
