// SPDX-License-Identifier: Apache-2.0
// The ceilings' kernels of the stand-in: what they leave in memory, and 50 us each.
#include <cstring>
#include <string_view>

#include "bench/ceilings/shapes.hpp"
#include "gemm/half.hpp"
#include "unit/gemm/fake_cuda.hpp"

namespace fake {
namespace {

using namespace tileloom::bench::ceilings;

constexpr double kernel_us = 50;

template <class T>
T parameter(void** parameters, int i) {
  return *static_cast<const T*>(parameters[i]);
}

// Each thread's sum is that of one element, as often as the work is done.
void multiply(unsigned ctas, void** parameters) {
  const auto* data = parameter<const std::uint16_t*>(parameters, 0);
  auto* sums = parameter<float*>(parameters, 1);
  const int repeats = parameter<int>(parameters, 2);
  const std::string wrong = environment_text("FAKE_CEILING_WRONG");
  const int steps = wrong == "multiply" ? 1 : parameter<int>(parameters, 3);
  const auto factor = static_cast<float>(wrong == "zero" ? 0 : repeats * steps);
  for (unsigned i = 0; i < ctas * threads; ++i) {
    sums[i] = factor * static_cast<float>(tileloom::half_to_f64(data[i % threads]));
  }
  sums[threads] += wrong == "one_cta" ? 1.0F : 0.0F;
}

void fill(unsigned ctas, std::uint32_t* to) {
  for (std::uint32_t i = 0; i < ctas * (bytes_a_cta / 4); ++i) {
    to[i] = i * word_step;
  }
}

void read(unsigned ctas, const std::uint32_t* from, std::uint32_t* sums) {
  constexpr unsigned words = bytes_a_cta / 4 / (threads / 32);
  for (unsigned i = 0; i < ctas * (threads / 32); ++i, from += words) {
    sums[i] = 0;
    for (unsigned j = 0; j < words; ++j) {
      sums[i] += from[j];
    }
  }
}

void run(std::string_view name, unsigned ctas, void** parameters) {
  if (name == "ceiling_fill") {
    fill(ctas, parameter<std::uint32_t*>(parameters, 0));
  } else if (name == "ceiling_read") {
    read(ctas, parameter<const std::uint32_t*>(parameters, 0), parameter<std::uint32_t*>(parameters, 1));
  } else if (name == "ceiling_copy" && environment_text("FAKE_CEILING_WRONG") != "copy") {
    std::memcpy(parameter<void*>(parameters, 1), parameter<void*>(parameters, 0), std::size_t{ctas} * bytes_a_cta);
  } else if (name.starts_with("ceiling_mma") || name.starts_with("ceiling_wgmma")) {
    multiply(ctas, parameters);
  }
}

}  // namespace

// In a graph only their time counts.
bool launch_ceiling(const char* name, unsigned grid, unsigned /*block*/, void** parameters, void* stream) {
  if (!std::string_view(name).starts_with("ceiling_")) {
    return false;
  }
  run(name, grid, parameters);
  enqueue(stream, [] { pass_time(kernel_us); });
  return true;
}

}  // namespace fake
