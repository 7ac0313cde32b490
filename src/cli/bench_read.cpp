// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/batch_file.hpp"
#include "cli/bench_json.hpp"
#include "cli/json_text.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

using bench::ContenderKind;

template <class Value>
Value value_or(const Json& json, const char* key, const Value& otherwise) {
  return json.contains(key) && !json.at(key).is_null() ? json.at(key).get<Value>() : otherwise;
}

std::optional<double> optional_number(const Json& json, const char* key) {
  return json.contains(key) && json.at(key).is_number() ? std::optional(json.at(key).get<double>()) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::bad_input, what);
}

// A number that a ratio can be made of.
double positive(const Json& json, const char* what) {
  const double value = json.get<double>();
  if (!(value > 0)) {
    refuse(fmt::format("{}: expected a positive number, found {}", what, value));
  }
  return value;
}

ContenderKind kind_of(const Json& json) {
  if (!json.contains("kind")) {  // before there was anything but kernels and cuBLAS
    return json.at("kernel").is_null() ? ContenderKind::cublas : ContenderKind::kernel;
  }
  const auto name = json.at("kind").get<std::string>();
  for (const ContenderKind kind : {ContenderKind::kernel, ContenderKind::cublas, ContenderKind::cublaslt_best}) {
    if (name == bench::to_string(kind)) {
      return kind;
    }
  }
  refuse(fmt::format("kind: expected kernel, cublas or cublaslt-best, found '{}'", name));
}

bench::ContenderResult contender_from(const Json& json) {
  bench::ContenderResult c;
  c.label = json.at("label").get<std::string>();
  c.kind = kind_of(json);
  c.kernel = value_or<std::string>(json, "kernel", "");
  c.algorithm = value_or<std::string>(json, "algorithm", "");
  c.stages = json.at("stages").get<int>();
  c.raster_width = json.at("raster_width_tiles").get<std::uint32_t>();
  c.timing.batch = json.at("launches_per_round").get<int>();
  for (const Json& seconds : json.at("seconds_per_launch")) {
    c.timing.seconds.push_back(positive(seconds, "seconds_per_launch"));
  }
  if (c.timing.seconds.empty()) {
    refuse("seconds_per_launch: expected at least one, found none");
  }
  c.seconds = bench::summarise(c.timing.seconds);
  c.spread = c.seconds.relative_iqr();
  c.noisy = value_or(json, "noisy", c.seconds.uncertainty() > bench::noise_bound);
  c.tflops = positive(json.at("tflops"), "tflops");
  c.sm_mhz = optional_number(json, "sm_mhz");
  c.watts = optional_number(json, "watts");
  return c;
}

bench::MeasuredShape shape_from(const Json& json, Accumulate accumulate) {
  bench::MeasuredShape measured;
  measured.shape = {json.at("m").get<std::int64_t>(), json.at("n").get<std::int64_t>(),
                    json.at("k").get<std::int64_t>(), value_or<std::string>(json, "name", "")};
  for (const std::int64_t size : {measured.shape.m, measured.shape.n, measured.shape.k}) {
    if (size < 1) {
      refuse(fmt::format("shapes: expected sizes of at least 1, found {}", to_string(measured.shape)));
    }
  }
  measured.result.problem = bench::problem_of(measured.shape, accumulate);
  measured.result.operand_sets = value_or(json, "operand_sets", 1);
  for (const Json& contender : json.at("contenders")) {
    measured.result.contenders.push_back(contender_from(contender));
    const auto& all = measured.result.contenders;
    if (all.back().timing.seconds.size() != all.front().timing.seconds.size()) {
      refuse(fmt::format("seconds_per_launch: expected as many of each contender, found another number of {}",
                         all.back().label));
    }
  }
  if (measured.result.contenders.empty()) {
    refuse(fmt::format("contenders: expected at least one at {}, found none", to_string(measured.shape)));
  }
  return measured;
}

bench::Environment environment_from(const Json& json) {
  bench::Environment e;
  e.device = json.at("device").get<std::string>();
  e.arch = hw::parse_arch(json.at("arch").get<std::string>());
  e.multiprocessors = json.at("multiprocessors").get<int>();
  e.l2_bytes = json.at("l2_bytes").get<std::int64_t>();
  e.driver = value_or<std::string>(json, "driver", "");
  e.cuda = json.at("driver_cuda_version").get<std::string>();
  e.kernel_compiler = json.at("kernel_compiler").get<std::string>();
  e.cublas = value_or<std::string>(json, "cublas", "");
  return e;
}

bench::Ceiling ceiling_from(const Json& json) {
  return {json.at("name").get<std::string>(),  json.at("unit").get<std::string>(),
          positive(json.at("burst"), "burst"), positive(json.at("sustained"), "sustained"),
          optional_number(json, "sm_mhz"),     optional_number(json, "watts")};
}

bench::Report report_from(const Json& json) {
  bench::Report report;
  report.title = value_or<std::string>(json, "title", "");
  if (json.contains("request")) {
    report.article = value_or(json.at("request"), "article", 0);
  }
  report.date = json.at("date").get<std::string>();
  report.environment = environment_from(json.at("environment"));
  report.accumulate = value_or<std::string>(json, "accumulate", "f32") == "f16" ? Accumulate::f16 : Accumulate::f32;
  report.plan.rounds = json.at("method").at("rounds").get<int>();
  report.plan.cold = json.at("method").at("buffers").get<std::string>().starts_with("cold");
  for (const Json& ceiling : value_or(json, "ceilings", Json::array())) {
    report.ceilings.push_back(ceiling_from(ceiling));
  }
  for (const Json& shape : json.at("shapes")) {
    report.shapes.push_back(shape_from(shape, report.accumulate));
  }
  return report;
}

void check_schema(const Json& json) {
  const Json found = json.is_object() && json.contains("schema") ? json.at("schema") : Json(nullptr);
  if (found != bench_schema) {
    refuse(fmt::format("expected a report of tileloom bench, schema \"{}\", found {}", bench_schema, found.dump()));
  }
}

}  // namespace

StoredReport read_bench_report(const std::string& file) {
  const std::string text = read_text(file);
  StoredReport stored;
  try {
    stored.json = parse_json(text);
    check_schema(stored.json);
    stored.report = report_from(stored.json);
  } catch (const Json::exception& e) {
    const std::string what = e.what();
    refuse(fmt::format("{}: not a complete report of tileloom bench: {}", file, what.substr(what.find("] ") + 2)));
  } catch (const Error& e) {
    throw Error(e.kind(), fmt::format("{}: {}", file, e.what()), e.hint());
  }
  return stored;
}

}  // namespace tileloom::cli
