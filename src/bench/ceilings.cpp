// SPDX-License-Identifier: Apache-2.0
#include "bench/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/ceiling_kernel.hpp"
#include "bench/ceilings/shapes.hpp"
#include "gemm/generate.hpp"
#include "tileloom/error.hpp"

namespace tileloom::bench {
namespace {

using namespace ceilings;

constexpr hw::Arch wgmma_arch{90};  // only this one has it
constexpr std::uint64_t data_seed = 1;
constexpr double launch_seconds = 1e-3;  // of the arithmetic kernels
constexpr double rounding = 0.02;        // of sums in f16, relative
constexpr std::int64_t largest_buffer = std::int64_t{2} << 30U;
constexpr int l2_multiple = 8;  // what is read must be this much larger than the L2
constexpr unsigned pause_ns = 50'000;

[[noreturn]] void implausible(const std::string& name, const std::string& expected, const std::string& found) {
  throw Error(ErrorKind::check_failed, fmt::format("ceilings: {}: expected {}, found {}", name, expected, found),
              "nothing of it was timed");
}

// Kernels that multiply fragments of the same random data in every CTA; sums start again after `steps` steps.
struct Arithmetic {
  std::string name;
  CeilingKernel kernel;
  double flops_a_step;  // of a CTA
  int steps;            // K = 4096, so that sums stay finite in f16
};

class Bench {
 public:
  Bench(Session& session, const CeilingImages& images)
      : session_(session), memory_(images.memory), pause_(memory_.kernel("ceiling_pause")) {}

  Ceiling arithmetic(const Arithmetic& work) {
    const auto ctas = static_cast<unsigned>(session_.environment().multiprocessors);
    const std::vector<std::uint16_t> halves = generate(Distribution::normal, data_seed, 0, data_halves);
    const cuda::Buffer data(2 * data_halves);
    const cuda::Buffer sums(static_cast<std::int64_t>(ctas) * threads * 4);
    data.fill(halves.data(), 2 * data_halves, stream().get());
    const auto launch = [&](cuda::CUstream s, int repeats, int steps) {
      void* from = data.address();
      void* to = sums.address();
      work.kernel.launch(ctas, threads, {&from, &to, &repeats, &steps}, s);
    };
    const auto run = [&](int repeats, int steps) {
      std::vector<float> result(static_cast<std::size_t>(ctas) * threads);
      launch(stream().get(), repeats, steps);
      sums.read(result.data(), static_cast<std::int64_t>(result.size()) * 4, stream().get());
      return result;
    };
    check_sums(work.name, run(1, 1), run(2, 8), 16);
    const double flops_a_repeat = work.flops_a_step * work.steps * ctas;
    const int repeats = repeats_for(launch_seconds, [&](cuda::CUstream s, int n) { launch(s, n, work.steps); });
    const CeilingSeconds seconds = time([&](cuda::CUstream s, int /*launch*/) { launch(s, repeats, work.steps); });
    return ceiling(work.name, "TFLOPS", seconds, [&](double s) { return flops_a_repeat * repeats / s * 1e-12; });
  }

  std::vector<Ceiling> memory() {
    const std::int64_t bytes = buffer_bytes();
    const auto ctas = static_cast<unsigned>(bytes / bytes_a_cta);
    const cuda::Buffer from(bytes);
    const cuda::Buffer to(bytes);
    const cuda::Buffer sums(static_cast<std::int64_t>(ctas) * (threads / 32) * 4);
    void* a = from.address();
    void* b = to.address();
    void* s = sums.address();
    const CeilingKernel read = memory_.kernel("ceiling_read");
    const CeilingKernel copy = memory_.kernel("ceiling_copy");
    const auto check = [&](const std::string& name, void* at) {
      read.launch(ctas, threads, {&at, &s}, stream().get());
      check_words(name, sums, ctas * (threads / 32), bytes / 4);
    };
    memory_.kernel("ceiling_fill").launch(ctas, threads, {&a}, stream().get());
    check("read", a);
    copy.launch(ctas, threads, {&a, &b}, stream().get());
    check("copy", b);
    const auto rate = [&](double moved) { return [moved](double t) { return moved / t * 1e-12; }; };
    const auto all = static_cast<double>(bytes);
    return {ceiling("read", "TB/s", time([&](cuda::CUstream q, int) {
                      read.launch(ctas, threads, {&a, &s}, q);
                    }),
                    rate(all)),
            ceiling("copy", "TB/s", time([&](cuda::CUstream q, int) {
                      copy.launch(ctas, threads, {&a, &b}, q);
                    }),
                    rate(2 * all))};
  }

  Ceiling empty() {
    const CeilingKernel kernel = memory_.kernel("ceiling_empty");
    return ceiling("empty kernel", "us", time([&](cuda::CUstream s, int) { kernel.launch(1, 32, {}, s); }),
                   [](double t) { return 1e6 * t; });
  }

 private:
  [[nodiscard]] const Stream& stream() const { return session_.stream(); }

  [[nodiscard]] CeilingSeconds time(const Enqueue& launch) const {
    const auto pause = [this](cuda::CUstream s) {
      unsigned ns = pause_ns;
      pause_.launch(1, 1, {&ns}, s);
    };
    return time_launches(launch, pause, stream(), session_.monitor());
  }

  template <class Value>
  static Ceiling ceiling(const std::string& name, const std::string& unit, const CeilingSeconds& seconds,
                         const Value& value) {
    return {name,
            unit,
            value(seconds.burst),
            value(seconds.sustained),
            median_of(seconds.states, &GpuState::sm_mhz),
            median_of(seconds.states, &GpuState::watts)};
  }

  // How many repeats last about so long; the first launch warms up.
  template <class Launch>
  int repeats_for(double seconds, const Launch& launch) const {
    constexpr int probe = 8;
    double each = 0;
    for (int i = 0; i < 2; ++i) {
      const Event begin;
      const Event end;
      begin.record(stream());
      launch(stream().get(), probe);
      end.record(stream());
      stream().synchronize();
      each = end.seconds_since(begin) / probe;
    }
    return static_cast<int>(std::clamp(std::round(seconds / std::max(each, 1e-9)), 1.0, 1e6));
  }

  // A GPU of less memory than this is not one that the kernels are for, but the sizes must fit it.
  [[nodiscard]] std::int64_t buffer_bytes() const {
    const std::int64_t least = l2_multiple * session_.environment().l2_bytes;
    std::int64_t bytes = std::min(largest_buffer, cuda::free_memory() / 4);
    bytes = bytes / bytes_a_cta * bytes_a_cta;
    if (bytes < std::max<std::int64_t>(least, bytes_a_cta)) {
      cuda::require_memory(4 * std::max<std::int64_t>(least, bytes_a_cta), "ceilings: buffers larger than the L2");
    }
    return bytes;
  }

  // Every CTA does the same work on the same data, and `factor` times the work gives `factor` times the sums.
  static void check_sums(const std::string& name, const std::vector<float>& once, const std::vector<float>& often,
                         double factor) {
    double squares = 0;
    double error = 0;
    for (std::size_t i = 0; i < once.size(); ++i) {
      const double wanted = factor * once[i];
      squares += wanted * wanted;
      error += (often[i] - wanted) * (often[i] - wanted);
      if (once[i] != once[i % threads] || often[i] != often[i % threads]) {
        implausible(name, "the same sums from every CTA", fmt::format("{} and {}", once[i], once[i % threads]));
      }
    }
    const double off = std::sqrt(error / squares);  // NaN for sums that are all zero or not finite
    if (!(off <= rounding)) {
      implausible(name, fmt::format("{} times the sums from {} times the work", factor, factor),
                  fmt::format("a relative difference of {:.3g}", off));
    }
  }

  void check_words(const std::string& name, const cuda::Buffer& sums, unsigned count, std::int64_t words) const {
    std::vector<std::uint32_t> parts(count);
    sums.read(parts.data(), static_cast<std::int64_t>(count) * 4, stream().get());
    std::uint32_t sum = 0;
    for (const std::uint32_t part : parts) {
      sum += part;
    }
    const auto n = static_cast<std::uint64_t>(words);
    const auto wanted = static_cast<std::uint32_t>(n * (n - 1) / 2 * word_step);
    if (sum != wanted) {
      implausible(name, fmt::format("{:#x} as the sum of all words", wanted), fmt::format("{:#x}", sum));
    }
  }

  Session& session_;
  CeilingModule memory_;
  CeilingKernel pause_;
};

}  // namespace

std::vector<Ceiling> measure_ceilings(Session& session, const CeilingImages& images) {
  if (images.mma.empty()) {
    throw Error(ErrorKind::cannot_run, "ceilings: expected a build with CUDA, found one without",
                "build with -DTILELOOM_ENABLE_CUDA=ON, which needs nvcc");
  }
  constexpr int mma_steps = 256;
  constexpr int wgmma_steps = 64;
  Bench bench(session, images);
  std::vector<Ceiling> ceilings;
  const CeilingModule mma(images.mma);
  for (const char* type : {"f16", "f32"}) {
    const CeilingKernel kernel = mma.kernel(fmt::format("ceiling_mma_{}", type));
    ceilings.push_back(bench.arithmetic({fmt::format("mma.sync {}", type), kernel, mma_flops_a_step, mma_steps}));
  }
  if (session.environment().arch == wgmma_arch) {
    const CeilingModule wgmma(images.wgmma);
    for (const char* type : {"f16", "f32"}) {
      const CeilingKernel kernel = wgmma.kernel(fmt::format("ceiling_wgmma_{}", type), wgmma_shared_bytes);
      ceilings.push_back(bench.arithmetic({fmt::format("wgmma {}", type), kernel, wgmma_flops_a_step, wgmma_steps}));
    }
  }
  for (Ceiling& ceiling : bench.memory()) {
    ceilings.push_back(std::move(ceiling));
  }
  ceilings.push_back(bench.empty());
  return ceilings;
}

std::vector<Ceiling> measure_ceilings(Session& session) {
  return measure_ceilings(session, built_ceiling_images());
}

}  // namespace tileloom::bench
