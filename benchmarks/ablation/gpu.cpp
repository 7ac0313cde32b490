// SPDX-License-Identifier: Apache-2.0
#include "ablation/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "bench/ceiling_kernel.hpp"
#include "bench/ceilings.hpp"
#include "bench/ceilings/shapes.hpp"
#include "gemm/generate.hpp"
#include "gemm/problem.hpp"
#include "tileloom/error.hpp"

namespace tileloom::ablation {
namespace {

namespace ceilings = bench::ceilings;

constexpr int CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9;  // per cent; -1: the driver's choice
constexpr int ceiling_repeats = 64;
constexpr int ceiling_steps = 256;

// A launch of every SM with mma.sync alone.
class Ceiling {
 public:
  Ceiling(const bench::CeilingModule& module, Accumulate accumulate, unsigned ctas, const bench::Stream& stream)
      : kernel_(module.kernel(accumulate == Accumulate::f16 ? "ceiling_mma_f16" : "ceiling_mma_f32")),
        ctas_(ctas),
        data_(2 * ceilings::data_halves),
        sums_(std::int64_t{4} * ctas * ceilings::threads) {
    const std::vector<std::uint16_t> halves = generate(Distribution::normal, 1, 0, ceilings::data_halves);
    data_.fill(halves.data(), 2 * ceilings::data_halves, stream.get());
    stream.synchronize();
  }
  void enqueue(cuda::CUstream stream) const {
    void* from = data_.address();
    void* to = sums_.address();
    int repeats = ceiling_repeats;
    int steps = ceiling_steps;
    kernel_.launch(ctas_, ceilings::threads, {&from, &to, &repeats, &steps}, stream);
  }
  [[nodiscard]] double flops() const { return ceilings::mma_flops_a_step * ceiling_steps * ceiling_repeats * ctas_; }

 private:
  bench::CeilingKernel kernel_;
  unsigned ctas_;
  cuda::Buffer data_;
  cuda::Buffer sums_;
};

class LoadedVariant {
 public:
  LoadedVariant(const Variant& variant, cuda::CUdevice device) : variant_(variant) {
    const Kernel& kernel = *variant.kernel;
    const auto& driver = cuda::driver();
    const std::string what = "loading variant " + variant.name;
    cuda::CUlibrary library = nullptr;  // until the process ends; each variant has its own, for its own attributes
    cuda::require(driver.load_library(&library, kernel.machine_code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                  what);
    cuda::require(driver.find_kernel(&kernel_, library, kernel.entry().c_str()), what);
    const auto set = [&](int attribute, int value) {
      cuda::require(driver.set_kernel_attribute(attribute, value, kernel_, device), what);
    };
    set(cuda::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel.shared_bytes());
    set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, variant.full_carveout ? 100 : -1);
  }
  void enqueue(const GemmProblem& problem, const GemmOperands& operands, cuda::CUstream stream) const {
    const Kernel& kernel = *variant_.kernel;
    kernels::GemmParams parameters = params(variant_, problem, operands);
    std::array<void*, 1> addresses{&parameters};
    cuda::require(
        cuda::driver().launch(kernel_, kernel.grid(problem), 1, 1, static_cast<unsigned>(kernel.threads), 1, 1,
                              static_cast<unsigned>(kernel.shared_bytes()), stream, addresses.data(), nullptr),
        "launching variant " + variant_.name);
  }
  [[nodiscard]] const Variant& variant() const { return variant_; }

 private:
  const Variant& variant_;
  cuda::CUkernel kernel_ = nullptr;
};

[[noreturn]] void wrong(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::check_failed, fmt::format("{}: {}", name, what), "nothing was timed");
}

}  // namespace

struct Gpu::Impl {
  const Variants& variants;
  bench::Session session{false};
  std::vector<std::uint16_t> host_a, host_b;
  cuda::Buffer a, b, d;
  std::vector<LoadedVariant> loaded;
  std::unique_ptr<bench::CeilingModule> ceiling_module;
  std::unique_ptr<Ceiling> ceiling_f16, ceiling_f32;

  Impl(const Variants& all, std::int64_t largest)
      : variants(all),
        host_a(generate(Distribution::normal, 1, 0, largest * largest)),
        host_b(generate(Distribution::normal, 1, 1, largest * largest)),
        a(2 * largest * largest),
        b(2 * largest * largest),
        d(2 * largest * largest) {
    a.fill(host_a.data(), 2 * largest * largest, stream().get());
    b.fill(host_b.data(), 2 * largest * largest, stream().get());
    for (const Variant& variant : variants.variants) {
      loaded.emplace_back(variant, cuda::chosen_device());
    }
    const std::span<const std::byte> image = bench::built_ceiling_images().mma;
    if (image.empty()) {
      throw Error(ErrorKind::cannot_run, "ablation: expected the ceilings' machine code, found none",
                  "build with CUDA");
    }
    ceiling_module = std::make_unique<bench::CeilingModule>(image);
    const auto ctas = static_cast<unsigned>(session.environment().multiprocessors);
    ceiling_f16 = std::make_unique<Ceiling>(*ceiling_module, Accumulate::f16, ctas, stream());
    ceiling_f32 = std::make_unique<Ceiling>(*ceiling_module, Accumulate::f32, ctas, stream());
  }

  [[nodiscard]] const bench::Stream& stream() const { return session.stream(); }
  [[nodiscard]] GemmOperands operands() const { return {a.address(), b.address(), d.address()}; }

  // D after `enqueue`, from a poisoned one.
  template <class Work>
  std::vector<std::uint16_t> product(const GemmProblem& problem, const Work& enqueue) {
    std::vector<std::uint16_t> result(static_cast<std::size_t>(problem.m * problem.n));
    cuda::require(cuda::driver().fill_halves(d.at(), bench::poison, result.size(), stream().get()), "poisoning D");
    enqueue(stream().get());
    d.read(result.data(), 2 * problem.m * problem.n, stream().get());
    return result;
  }

  bench::SpotCheck check(const GemmProblem& problem, const std::vector<std::uint16_t>& result) {
    return bench::spot_check(problem, session.environment().arch, {host_a.data(), host_b.data()}, result, 1);
  }

  // The checks below find what they are for.
  void require_that_faults_are_found(const GemmProblem& problem) {
    const LoadedVariant& first = loaded.front();
    GemmProblem shorter = problem;  // the same rows, one K tile less of each
    shorter.k -= first.variant().kernel->tile_k;
    const auto last_tile_missing = product(problem, [&](cuda::CUstream s) { first.enqueue(shorter, operands(), s); });
    if (check(problem, last_tile_missing).ok()) {
      wrong("seeded fault", "a product without its last K tile was taken for right");
    }
    if (check(problem, product(problem, [](cuda::CUstream) {})).unwritten == 0) {
      wrong("seeded fault", "a product that was never computed was taken for written");
    }
  }

  // Returns the relative error of the products.
  double verify(std::int64_t size, Accumulate accumulate) {
    const GemmProblem problem = dense_problem(size, size, size, accumulate);
    std::vector<std::uint16_t> expected;
    double error = 0;
    for (const LoadedVariant& variant : loaded) {
      if (variant.variant().kernel->accumulate != accumulate) {
        continue;
      }
      const std::string& name = variant.variant().name;
      std::vector<std::uint16_t> result =
          product(problem, [&](cuda::CUstream s) { variant.enqueue(problem, operands(), s); });
      if (!expected.empty()) {
        if (result != expected) {
          wrong(name, "its product differs from that of the first variant with the same sums");
        }
        continue;
      }
      const bench::SpotCheck found = check(problem, result);
      if (!found.ok()) {
        wrong(name, found.unwritten > 0 ? fmt::format("{} elements of D were not written", found.unwritten)
                                        : to_string(*found.report.first));
      }
      error = found.report.relative_error();
      expected = std::move(result);
    }
    return error;
  }

  std::vector<bench::Candidate> candidates(std::int64_t size) {
    std::vector<bench::Candidate> list;
    for (const LoadedVariant& variant : loaded) {
      const GemmProblem problem = dense_problem(size, size, size, variant.variant().kernel->accumulate);
      list.push_back({variant.variant().name, [&variant, problem, operands = operands()](cuda::CUstream s, int) {
                        variant.enqueue(problem, operands, s);
                      }});
    }
    list.push_back({"mma.sync f16", [this](cuda::CUstream s, int) { ceiling_f16->enqueue(s); }});
    list.push_back({"mma.sync f32", [this](cuda::CUstream s, int) { ceiling_f32->enqueue(s); }});
    return list;
  }
};

Gpu::Gpu(const Variants& variants, std::int64_t largest) : impl_(std::make_unique<Impl>(variants, largest)) {}

Gpu::~Gpu() = default;

const bench::Environment& Gpu::environment() const {
  return impl_->session.environment();
}

SizeTimes Gpu::measure(std::int64_t size, const bench::Plan& plan) {
  SizeTimes result;
  result.size = size;
  impl_->require_that_faults_are_found(dense_problem(size, size, size, Accumulate::f16));
  result.relative_error_f16 = impl_->verify(size, Accumulate::f16);
  result.relative_error_f32 = impl_->verify(size, Accumulate::f32);
  const std::vector<bench::Candidate> candidates = impl_->candidates(size);
  const std::vector<bench::Timing> timings =
      bench::measure(candidates, plan, impl_->stream(), impl_->session.monitor());
  const std::size_t ceiling_f16 = timings.size() - 2;
  const double edge = static_cast<double>(size);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const bool is_variant = i < ceiling_f16;
    const bool f16 = is_variant ? impl_->variants.variants[i].kernel->accumulate == Accumulate::f16 : i == ceiling_f16;
    const Ceiling& ceiling = f16 ? *impl_->ceiling_f16 : *impl_->ceiling_f32;
    const double flops = is_variant ? 2 * edge * edge * edge : ceiling.flops();
    VariantTime& v = result.variants.emplace_back();
    v.name = candidates[i].name;
    v.timing = timings[i];
    v.seconds = bench::summarise(v.timing.seconds);
    v.tflops = flops / v.seconds.median * 1e-12;
    const std::vector<double>& fastest = timings[f16 ? ceiling_f16 : ceiling_f16 + 1].seconds;
    v.share_of_ceiling = bench::median_ratio(fastest, v.timing.seconds) * flops / ceiling.flops();
    v.sm_mhz = bench::median_of(v.timing.states, &bench::GpuState::sm_mhz);
    v.watts = bench::median_of(v.timing.states, &bench::GpuState::watts);
  }
  return result;
}

void Gpu::launch_each(std::int64_t size) {
  for (const bench::Candidate& candidate : impl_->candidates(size)) {
    candidate.enqueue(impl_->stream().get(), 0);
    impl_->stream().synchronize();
  }
}

}  // namespace tileloom::ablation
