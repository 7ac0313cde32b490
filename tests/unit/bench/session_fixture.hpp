// SPDX-License-Identifier: Apache-2.0
// Sessions on the stand-in for driver, cuBLAS, cublasLt and NVML, where a product takes as long as the test says.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bench/session.hpp"
#include "gemm/generate.hpp"
#include "unit/gemm/error_of.hpp"

namespace tileloom::bench {

class SessionTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& name : set_) {
      ::unsetenv(name.c_str());
    }
  }

  // Tells the stand-in, until the test ends.
  void fake(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    set_.push_back(name);
  }

  // 100 x 70 x 40: no two sizes alike, so that a transposed call cannot look right.
  ShapeResult run(const std::vector<Contender>& contenders, Accumulate accumulate = Accumulate::f32) {
    const GemmProblem problem = dense_problem(100, 70, 40, accumulate);
    Session session(true);
    session.load({a.data(), b.data()}, 100 * 40, 70 * 40);
    return session.run(problem, contenders, plan);
  }
  static Contender kernel(const std::string& name) {
    Contender contender;
    contender.label = name;
    contender.options.kernel = name;
    return contender;
  }

  std::vector<std::uint16_t> a = generate(Distribution::normal, 1, 0, 100 * 40);
  std::vector<std::uint16_t> b = generate(Distribution::normal, 1, 1, 70 * 40);
  Contender cublas{"cublas", {}, ContenderKind::cublas};
  Contender cublaslt{"cublaslt-best", {}, ContenderKind::cublaslt_best};
  Plan plan{.rounds = 5, .batch_seconds = 0.01, .max_batch = 20, .settle_seconds = 0, .sustained_seconds = 0};

 private:
  std::vector<std::string> set_;
};

}  // namespace tileloom::bench
