// SPDX-License-Identifier: Apache-2.0
// The stages of `tileloom gemm`: what was asked, the operands, and what came out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/session.hpp"
#include "cli/counters.hpp"
#include "cli/follow.hpp"
#include "gemm/generate.hpp"
#include "gemm/verify.hpp"
#include "tileloom/gemm.hpp"
#include "tileloom/npy.hpp"

namespace tileloom::cli {

// Operands that are made here.
struct Generated {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::uint64_t seed = 0;
  Distribution distribution = Distribution::normal;
};

struct GemmRequest {
  std::string a_path;  // both empty where the operands are generated
  std::string b_path;
  std::optional<Generated> generated;
  Accumulate accumulate = Accumulate::f32;
  GemmOptions options;
  std::string output;  // empty: D is not written
  bool check = false;
  std::optional<render::CountersBy> counters;
  std::optional<MatrixElement> follow;
  bool verify = false;
  bool explain = false;
  int time_rounds = 0;  // 0: not timed
  bool compare_cublas = false;
  bool json = false;
};

struct GemmData {
  npy::Matrix a;
  npy::Matrix b;
  GemmProblem problem;
  std::vector<std::string> notes;  // what reading did to the files
};

// Reads or makes A and B. Throws Error(bad_input) when they do not fit each other, naming the files; Error(cannot_run)
// when the matrices do not fit in this machine's memory.
[[nodiscard]] GemmData load_operands(const GemmRequest& request);

// A product timed on the GPU, beside cuBLAS's where that is compared.
struct TimedGemm {
  bench::Environment environment;
  bench::Plan plan;
  bench::ShapeResult result;
};

// Throws Error(cannot_run) unless the product runs on a GPU, and cuBLAS is there where it is to be compared.
[[nodiscard]] std::unique_ptr<bench::Session> open_session(const GemmRequest& request,
                                                           const GemmConfiguration& configuration);

// The problem is not empty; what runs is verified before it is timed.
[[nodiscard]] TimedGemm time_gemm(bench::Session& session, const GemmRequest& request, const GemmData& data,
                                  const GemmConfiguration& configuration);

struct GemmOutcome {
  GemmConfiguration configuration;
  GemmReport report;
  std::optional<emu::SumPlace> sum;  // of the element of D that is followed
  std::optional<VerifyReport> verification;
  double verify_seconds = 0;
  std::optional<TimedGemm> timing;
};

// The first line: formula, sizes, types, kernel, backend, arch.
void print_headline(const GemmData& data, const GemmConfiguration& configuration);

// Nothing was found by the checks that were asked for.
[[nodiscard]] bool is_good(const GemmOutcome& outcome);

// What a reader must know before trusting the numbers: conversions, the emulator's evidence for this arch, warnings.
[[nodiscard]] std::vector<std::string> notes_of(const GemmData& data, const GemmOutcome& outcome);

void print_outcome(const GemmRequest& request, const GemmData& data, const GemmOutcome& outcome);
void print_outcome_json(const GemmRequest& request, const std::vector<std::string>& argv, const GemmData& data,
                        const GemmOutcome& outcome);

}  // namespace tileloom::cli
