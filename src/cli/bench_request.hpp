// SPDX-License-Identifier: Apache-2.0
// What `tileloom bench` is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/session.hpp"
#include "bench/shapes.hpp"

namespace tileloom::cli {

// Options as written; empty: not given.
struct BenchArguments {
  std::vector<std::string> shapes;
  std::string article, sizes, kernels, accumulate, dtype, compare, rounds, sustained, seed;
  std::string from, resume, compare_with, output, csv, plot;
  bool cold = false, hot = false, ceilings = false, list = false, json = false;
};

struct BenchRequest {
  int article = 0;  // 0: no article's sweep
  std::string title;
  Accumulate accumulate = Accumulate::f32;
  std::vector<bench::Shape> shapes;          // none: the ceilings alone
  std::vector<bench::Contender> contenders;  // kernels, then what they are compared with
  bench::Plan plan;
  std::uint64_t seed = 0;
  bool ceilings = false;
  bool list = false;
  bool json = false;
  std::string from;                                     // an earlier run that is shown; empty: measure
  std::string resume, compare_with, output, csv, plot;  // files; empty: none
};

// Throws Error(bad_input), naming the option. Reads the files of --shapes.
[[nodiscard]] BenchRequest parse_bench(const BenchArguments& arguments);

}  // namespace tileloom::cli
