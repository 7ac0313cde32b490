// SPDX-License-Identifier: Apache-2.0
// The library's choice of a kernel against measured times of all of them (results/h200/choice_*.json).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "gemm/cost_model.hpp"

namespace tileloom::gemm {
namespace {

using Json = nlohmann::json;

Json results(const std::string& accumulate) {
  std::ifstream file(TILELOOM_RESULTS "/h200/choice_" + accumulate + ".json");
  return Json::parse(file);
}

// Median seconds by instance.
std::map<std::string, double> measured(const Json& shape) {
  std::map<std::string, double> seconds;
  for (const Json& contender : shape.at("contenders")) {
    if (!contender.at("kernel").is_null()) {
      seconds[contender.at("kernel").get<std::string>()] = contender.at("seconds").at("median").get<double>();
    }
  }
  return seconds;
}

// What the choice costs against the best of the family at that shape.
double loss(const Json& shape, Accumulate accumulate) {
  const auto [m, n, k] = std::array{shape.at("m").get<std::int64_t>(), shape.at("n").get<std::int64_t>(),
                                    shape.at("k").get<std::int64_t>()};
  const auto ranked = rank(dense_problem(m, n, k, accumulate), "multistage", typical_target(hw::sm_90));
  const std::map<std::string, double> seconds = measured(shape);
  double best = seconds.begin()->second;
  for (const auto& [name, time] : seconds) {
    best = std::min(best, time);
  }
  return seconds.at(std::string(ranked.front().instance->name)) / best;
}

class Choice : public testing::TestWithParam<Accumulate> {};

TEST_P(Choice, LosesAtMostFivePerCentOnAverage) {
  const Json report = results(std::string(to_string(GetParam())));
  ASSERT_GE(report.at("shapes").size(), 70U);
  double logs = 0;
  for (const Json& shape : report.at("shapes")) {
    ASSERT_GE(measured(shape).size(), 7U);
    logs += std::log(loss(shape, GetParam()));
  }
  EXPECT_LE(std::exp(logs / static_cast<double>(report.at("shapes").size())), 1.05);
}

TEST_P(Choice, NeverTakesMoreThanHalfAsLongAgain) {
  const Json report = results(std::string(to_string(GetParam())));
  for (const Json& shape : report.at("shapes")) {
    EXPECT_LE(loss(shape, GetParam()), 1.5) << shape.at("m") << " " << shape.at("n") << " " << shape.at("k");
  }
}

INSTANTIATE_TEST_SUITE_P(H200, Choice, testing::Values(Accumulate::f16, Accumulate::f32),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace tileloom::gemm
