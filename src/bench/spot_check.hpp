// SPDX-License-Identifier: Apache-2.0
// Verification of a product that is too large to compute again in float64: one row of every 64 and one column of every
// 64, so that every tile of the output is met, and every element for a small one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm/verify.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::bench {

// A NaN that no kernel makes: what D holds before a run.
inline constexpr std::uint16_t poison = 0xFDA5;

struct HostOperands {
  const std::uint16_t* a = nullptr;
  const std::uint16_t* b = nullptr;
};

struct SpotCheck {
  std::int64_t unwritten = 0;  // elements of D that still hold the poison, of all
  std::int64_t elements = 0;   // of D
  VerifyReport report;         // of those that were computed again
  // Whether D is right by the bound that holds for the shipped kernels.
  [[nodiscard]] bool ok() const { return unwritten == 0 && report.ok(); }
};

// Lines that are looked at of `count`: all, or one at a seeded place of each 64.
[[nodiscard]] std::vector<std::int64_t> sampled_lines(std::int64_t count, bool all, std::uint64_t seed);

// The problem is dense; `d` is m x n as it came from the GPU.
[[nodiscard]] SpotCheck spot_check(const GemmProblem& problem, hw::Arch arch, const HostOperands& operands,
                                   const std::vector<std::uint16_t>& d, std::uint64_t seed);

// `all 65536 elements`, `65536 of 268435456 elements, every tile met`.
[[nodiscard]] std::string coverage(const SpotCheck& check);

}  // namespace tileloom::bench
