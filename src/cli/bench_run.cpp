// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "cli/bench_json.hpp"
#include "cli/bench_resume.hpp"
#include "cli/progress.hpp"
#include "gemm/generate.hpp"

namespace tileloom::cli {
namespace {

constexpr double warm_up_seconds = 3;

std::string utc_date() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

bool compares(const BenchRequest& request) {
  return std::ranges::any_of(request.contenders, [](const auto& c) { return c.kind != bench::ContenderKind::kernel; });
}

class Run {
 public:
  Run(const BenchRequest& request, const std::vector<std::string>& argv, const BenchListener& listener)
      : request_(request), listener_(listener), session_(compares(request)) {
    begin(argv);
  }

  StoredReport result() {
    const ResumeFile earlier(request_.resume, out_.json);
    if (earlier.report() == nullptr) {
      earlier.save(out_.json);  // a path that cannot be written is known before the work
    }
    tell(listener_.begun);
    prepare(earlier);
    measure_ceilings(earlier);
    Progress progress("measuring");
    for (const bench::Shape& shape : request_.shapes) {
      if (!take(shape, earlier)) {
        measure(shape);
        earlier.save(out_.json);
      }
      progress.hide();
      tell(listener_.shape);
      progress.update(out_.report.shapes.size(), request_.shapes.size());
    }
    out_.json["complete"] = true;
    out_.json["summary"] = summary_json(out_.report);
    earlier.save(out_.json);
    return std::move(out_);
  }

 private:
  void tell(const std::function<void(const bench::Report&)>& listener) const {
    if (listener) {
      listener(out_.report);
    }
  }

  void begin(const std::vector<std::string>& argv) {
    bench::Report& report = out_.report;
    report.title = request_.title;
    report.article = request_.article;
    report.date = utc_date();
    report.environment = session_.environment();
    report.accumulate = request_.accumulate;
    report.plan = request_.plan;
    Json& json = out_.json;
    json = json_report(bench_schema, argv);
    json["date"] = report.date;
    json["title"] = report.title.empty() ? Json(nullptr) : Json(report.title);
    json["complete"] = false;
    json["request"] = request_json(request_);
    json["environment"] = environment_json(report.environment);
    json["method"] = method_json(request_.plan);
    json["inputs"] = {{"distribution", "normal"}, {"seed", request_.seed}};
    json["accumulate"] = to_string(request_.accumulate);
    json["ceilings"] = nullptr;
    json["resumed_shapes"] = 0;
    json["shapes"] = Json::array();
    json["summary"] = nullptr;
    json["comparison"] = nullptr;
  }

  // Operands of what is still to be measured, on the GPU, and a settled clock.
  void prepare(const ResumeFile& earlier) {
    std::int64_t a_elements = 0;
    std::int64_t b_elements = 0;
    const bench::Shape* largest = nullptr;
    for (const bench::Shape& shape : request_.shapes) {
      if (earlier.shape(shape)) {
        continue;
      }
      a_elements = std::max(a_elements, shape.m * shape.k);
      b_elements = std::max(b_elements, shape.n * shape.k);
      if (largest == nullptr || operations(shape) > operations(*largest)) {
        largest = &shape;
      }
    }
    if (largest == nullptr) {
      return;
    }
    a_ = generate(Distribution::normal, request_.seed, 0, a_elements);
    b_ = generate(Distribution::normal, request_.seed, 1, b_elements);
    session_.load({a_.data(), b_.data()}, a_elements, b_elements);
    session_.warm_up(problem_of(*largest, request_.accumulate), warm_up_seconds);
  }

  void measure_ceilings(const ResumeFile& earlier) {
    if (!request_.ceilings) {
      return;
    }
    if (const auto stored = earlier.ceilings()) {
      out_.report.ceilings = earlier.report()->ceilings;
      out_.json["ceilings"] = *stored;
    } else {
      out_.report.ceilings = bench::measure_ceilings(session_);
      out_.json["ceilings"] = ceilings_json(out_.report.ceilings);
      earlier.save(out_.json);
    }
    tell(listener_.ceilings);
  }

  // Whether the file had it.
  bool take(const bench::Shape& shape, const ResumeFile& earlier) {
    const auto stored = earlier.shape(shape);
    if (!stored) {
      return false;
    }
    const auto same = [&](const bench::MeasuredShape& m) { return m.shape.same_sizes(shape); };
    out_.report.shapes.push_back(*std::ranges::find_if(earlier.report()->shapes, same));
    out_.json["shapes"].push_back(*stored);
    out_.json["resumed_shapes"] = out_.json["resumed_shapes"].get<int>() + 1;
    return true;
  }

  void measure(const bench::Shape& shape) {
    out_.report.shapes.push_back(
        {shape, session_.run(problem_of(shape, request_.accumulate), request_.contenders, request_.plan)});
    out_.json["shapes"].push_back(measured_json(out_.report.shapes.back()));
  }

  const BenchRequest& request_;
  const BenchListener& listener_;
  bench::Session session_;
  std::vector<std::uint16_t> a_, b_;  // the session reads them to verify
  StoredReport out_;
};

}  // namespace

StoredReport measure_bench(const BenchRequest& request, const std::vector<std::string>& argv,
                           const BenchListener& listener) {
  return Run(request, argv, listener).result();
}

}  // namespace tileloom::cli
