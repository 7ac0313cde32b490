// SPDX-License-Identifier: Apache-2.0
#include "bench/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/cublas.hpp"
#include "gemm/cuda_backend.hpp"
#include "gemm/problem.hpp"
#include "kernels/instances.hpp"
#include "tileloom/error.hpp"

namespace tileloom::bench {
namespace {

constexpr std::uint64_t sample_seed = 1;

GemmOptions on_gpu(GemmOptions options) {
  options.backend = Backend::cuda;
  return options;
}

std::optional<double> median_of(const std::vector<GpuState>& states, double GpuState::*field) {
  if (states.empty()) {
    return std::nullopt;
  }
  std::vector<double> values;
  std::ranges::transform(states, std::back_inserter(values), field);
  return summarise(std::move(values)).median;
}

double flops(const GemmProblem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

// What is wrong with a product; empty when nothing is.
std::string fault(const ContenderResult& result, bool cublas, Accumulate accumulate) {
  const SpotCheck& check = result.check;
  if (check.unwritten > 0) {
    return fmt::format("{} of {} elements of D were not written", check.unwritten, check.elements);
  }
  if (cublas) {
    const double error = check.report.relative_error();
    const double allowed = cublas_tolerance(accumulate);
    return error <= allowed ? "" : fmt::format("relative error {:.3g}, {:.3g} is allowed", error, allowed);
  }
  return check.report.ok() ? "" : to_string(*check.report.first);
}

}  // namespace

std::optional<double> ShapeResult::ratio_to_cublas(const ContenderResult& contender) const {
  const auto rival = std::ranges::find(contenders, "", &ContenderResult::kernel);
  if (rival == contenders.end()) {
    return std::nullopt;
  }
  return median_ratio(rival->timing.seconds, contender.timing.seconds);
}

double cublas_tolerance(Accumulate accumulate) {
  return accumulate == Accumulate::f16 ? 5e-2 : 1e-2;
}

struct Session::Impl {
  cuda::ContextScope scope;
  Environment environment;
  Monitor monitor;
  Stream stream;
  std::unique_ptr<Cublas> cublas;
  HostOperands host;
  std::unique_ptr<cuda::Buffer> a;
  std::unique_ptr<cuda::Buffer> b;
  std::unique_ptr<cuda::Buffer> d;
  std::int64_t d_elements = 0;

  Impl() : monitor(cuda::chosen_device()) {}

  GemmOperands device_operands(const GemmProblem& problem) {
    const std::int64_t wanted = problem.m * problem.n;
    if (wanted > d_elements) {
      d.reset();
      d = std::make_unique<cuda::Buffer>(wanted * gemm::element_bytes);
      d_elements = wanted;
    }
    return {a->address(), b->address(), d->address()};
  }

  Candidate candidate(const GemmProblem& problem, const Contender& contender, const GemmConfiguration& configuration) {
    const GemmOperands operands = device_operands(problem);
    if (contender.cublas) {
      return {contender.label, [this, problem, operands](cuda::CUstream s) { cublas->multiply(problem, operands, s); }};
    }
    return {contender.label, [problem, configuration, operands](cuda::CUstream s) {
              LaunchControl control;
              control.stream = s;
              launch(problem, configuration, operands, control);
            }};
  }

  SpotCheck verified(const GemmProblem& problem, const Candidate& candidate) {
    const std::int64_t elements = problem.m * problem.n;
    cuda::require(cuda::driver().fill_halves(d->at(), poison, static_cast<std::size_t>(elements), stream.get()),
                  "poisoning D");
    candidate.enqueue(stream.get());
    std::vector<std::uint16_t> product(static_cast<std::size_t>(elements));
    d->read(product.data(), elements * gemm::element_bytes, stream.get());
    return spot_check(problem, environment.arch, host, product, sample_seed);
  }
};

Session::Session(bool with_cublas) {
  cuda::Obstacle obstacle;
  const std::vector<cuda::Device> devices = cuda::devices(obstacle);
  if (devices.empty()) {
    throw Error(ErrorKind::cannot_run, "timing: expected a usable GPU, found none: " + obstacle.text, obstacle.hint);
  }
  impl_ = std::make_unique<Impl>();
  const cuda::CUdevice handle = cuda::chosen_device();
  const auto device = std::ranges::find(devices, handle, &cuda::Device::handle);
  Environment& e = impl_->environment;
  e.device = device->name;
  e.arch = device->arch;
  e.multiprocessors = cuda::attribute(handle, cuda::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  e.l2_bytes = cuda::attribute(handle, cuda::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  e.driver = impl_->monitor.driver();
  e.cuda = cuda::driver_version();
  e.kernel_compiler = kernels::ptx_compiler();
  if (with_cublas) {
    impl_->cublas = std::make_unique<Cublas>();
    e.cublas = impl_->cublas->version();
  }
}

Session::~Session() = default;

const Environment& Session::environment() const {
  return impl_->environment;
}

void Session::load(const HostOperands& operands, std::int64_t a_elements, std::int64_t b_elements) {
  const std::int64_t a_bytes = a_elements * gemm::element_bytes;
  const std::int64_t b_bytes = b_elements * gemm::element_bytes;
  impl_->host = operands;
  impl_->a = std::make_unique<cuda::Buffer>(a_bytes);
  impl_->b = std::make_unique<cuda::Buffer>(b_bytes);
  impl_->a->fill(operands.a, a_bytes, impl_->stream.get());
  impl_->b->fill(operands.b, b_bytes, impl_->stream.get());
  impl_->stream.synchronize();
}

void Session::warm_up(const GemmProblem& problem, double seconds) {
  const GemmConfiguration configuration = configure(problem, on_gpu({}));
  bench::warm_up(impl_->candidate(problem, {}, configuration), seconds, impl_->stream);
}

ShapeResult Session::run(const GemmProblem& problem, const std::vector<Contender>& contenders, const Plan& plan) {
  ShapeResult result;
  result.problem = problem;
  std::vector<Candidate> candidates;
  for (const Contender& contender : contenders) {
    ContenderResult& r = result.contenders.emplace_back();
    r.label = contender.label;
    GemmConfiguration configuration;
    if (!contender.cublas) {
      configuration = configure(problem, on_gpu(contender.options));
      r.kernel = configuration.kernel;
      r.stages = configuration.stages;
      r.raster_width = configuration.raster_width;
    }
    candidates.push_back(impl_->candidate(problem, contender, configuration));
    r.check = impl_->verified(problem, candidates.back());
    if (const std::string wrong = fault(r, contender.cublas, problem.accumulate); !wrong.empty()) {
      throw Error(ErrorKind::check_failed, fmt::format("{} at {}: {}", contender.label, to_string(problem), wrong),
                  "nothing was timed");
    }
  }
  const std::vector<Timing> timings = measure(candidates, plan, impl_->stream, impl_->monitor);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    ContenderResult& r = result.contenders[i];
    r.timing = timings[i];
    r.seconds = summarise(r.timing.seconds);
    r.tflops = flops(problem) / r.seconds.median * 1e-12;
    r.sm_mhz = median_of(r.timing.states, &GpuState::sm_mhz);
    r.watts = median_of(r.timing.states, &GpuState::watts);
  }
  return result;
}

}  // namespace tileloom::bench
