// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/gemm_run.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

constexpr double warm_up_seconds = 0.5;

}  // namespace

std::unique_ptr<bench::Session> open_session(const GemmRequest& request, const GemmConfiguration& configuration) {
  if (configuration.backend != Backend::cuda) {
    throw Error(ErrorKind::cannot_run, "--time: expected a GPU to run on, found backend emulator",
                "the time that the emulator takes says nothing about a GPU");
  }
  return std::make_unique<bench::Session>(request.compare_cublas);
}

TimedGemm time_gemm(bench::Session& session, const GemmRequest& request, const GemmData& data,
                    const GemmConfiguration& configuration) {
  TimedGemm timed;
  timed.plan.rounds = request.time_rounds;
  timed.environment = session.environment();
  bench::Contender ours;
  ours.label = configuration.kernel;
  ours.options = request.options;
  std::vector<bench::Contender> contenders{ours};
  if (request.compare_cublas) {
    contenders.push_back({"cublas", {}, bench::ContenderKind::cublas});
  }
  session.load({data.a.values.data(), data.b.values.data()}, data.problem.m * data.problem.k,
               data.problem.n * data.problem.k);
  session.warm_up(data.problem, warm_up_seconds);
  timed.result = session.run(data.problem, contenders, timed.plan);
  return timed;
}

}  // namespace tileloom::cli
