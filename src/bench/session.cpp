// SPDX-License-Identifier: Apache-2.0
#include "bench/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/cublas.hpp"
#include "bench/cublaslt.hpp"
#include "bench/operand_sets.hpp"
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

double flops(const GemmProblem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

// What is wrong with a product; empty when nothing is.
std::string fault(const SpotCheck& check, ContenderKind kind, Accumulate accumulate) {
  if (check.unwritten > 0) {
    return fmt::format("{} of {} elements of D were not written", check.unwritten, check.elements);
  }
  if (kind != ContenderKind::kernel) {
    const double error = check.report.relative_error();
    const double allowed = cublas_tolerance(accumulate);
    return error <= allowed ? "" : fmt::format("relative error {:.3g}, {:.3g} is allowed", error, allowed);
  }
  return check.report.ok() ? "" : to_string(*check.report.first);
}

void require_right(const GemmProblem& problem, const ContenderResult& result) {
  if (const std::string wrong = fault(result.check, result.kind, problem.accumulate); !wrong.empty()) {
    throw Error(ErrorKind::check_failed, fmt::format("{} at {}: {}", result.label, to_string(problem), wrong),
                "nothing was timed");
  }
}

Candidate kernel_candidate(const GemmProblem& problem, const GemmConfiguration& configuration,
                           const OperandSets& sets) {
  return {configuration.kernel,
          [problem, configuration, &sets](cuda::CUstream stream, int number) {
            LaunchControl control;
            control.stream = stream;
            launch(problem, configuration, sets.of_launch(number), control);
          },
          sets.count()};
}

Candidate chosen_kernel(const GemmProblem& problem, const GemmOptions& options, const OperandSets& sets,
                        ContenderResult& result) {
  const GemmConfiguration configuration = configure(problem, on_gpu(options));
  result.kernel = configuration.kernel;
  result.stages = configuration.stages;
  result.raster_width = configuration.raster_width;
  return kernel_candidate(problem, configuration, sets);
}

Candidate cublas_candidate(const GemmProblem& problem, Cublas& cublas, const OperandSets& sets) {
  return {"cublas",
          [problem, &cublas, &sets](cuda::CUstream stream, int number) {
            cublas.multiply(problem, sets.of_launch(number), stream);
          },
          sets.count()};
}

std::vector<Candidate> lt_candidates(const LtProduct& product, const OperandSets& sets) {
  std::vector<Candidate> candidates;
  for (int algorithm = 0; algorithm < product.algorithms(); ++algorithm) {
    candidates.push_back({fmt::format("{} of {}", algorithm + 1, product.algorithms()),
                          [algorithm, &product, &sets](cuda::CUstream stream, int number) {
                            product.multiply(algorithm, sets.of_launch(number), stream);
                          },
                          sets.count()});
  }
  return candidates;
}

// Places of the candidates, the fastest first, by a quick run of all against each other.
std::vector<std::size_t> by_speed(const std::vector<Candidate>& candidates, const Plan& plan, const Stream& stream,
                                  const Monitor& monitor) {
  Plan quick = plan;
  quick.rounds = 3;
  quick.batch_seconds = plan.batch_seconds / 5;
  quick.settle_seconds = 0;
  quick.sustained_seconds = plan.sustained_seconds / 5;
  std::vector<double> medians;
  for (Timing& timing : measure(candidates, quick, stream, monitor)) {
    medians.push_back(summarise(std::move(timing.seconds)).median);
  }
  std::vector<std::size_t> places(candidates.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::stable_sort(places, {}, [&](std::size_t i) { return medians[i]; });
  return places;
}

void fill_in(ContenderResult& r, const Timing& timing, double flops) {
  r.timing = timing;
  r.seconds = summarise(timing.seconds);
  r.spread = r.seconds.relative_iqr();
  r.noisy = r.seconds.uncertainty() > noise_bound;
  r.tflops = flops / r.seconds.median * 1e-12;
  r.sm_mhz = median_of(timing.states, &GpuState::sm_mhz);
  r.watts = median_of(timing.states, &GpuState::watts);
}

}  // namespace

std::optional<double> ShapeResult::ratio_to(ContenderKind rival, const ContenderResult& contender) const {
  const auto found = std::ranges::find(contenders, rival, &ContenderResult::kind);
  if (found == contenders.end()) {
    return std::nullopt;
  }
  return median_ratio(found->timing.seconds, contender.timing.seconds);
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
  std::unique_ptr<CublasLt> cublaslt;
  HostOperands host;
  std::unique_ptr<cuda::Buffer> a;
  std::unique_ptr<cuda::Buffer> b;
  std::optional<std::vector<std::uint16_t>> known;  // a product of the running problem, and what its check said
  SpotCheck known_check;

  Impl() : monitor(cuda::chosen_device()) {}

  const CublasLt& lt() {
    if (!cublaslt) {
      cublaslt = std::make_unique<CublasLt>();
    }
    return *cublaslt;
  }

  // A product of the same bits as the last one that was computed again needs no second time: kernels of one type of
  // sums agree in all of them.
  SpotCheck checked(const GemmProblem& problem, std::vector<std::uint16_t> product) {
    if (known != product) {
      known_check = spot_check(problem, environment.arch, host, product, sample_seed);
      known = std::move(product);
    }
    return known_check;
  }

  // D of every set, each right; of a wrong one, the first.
  SpotCheck verified(const GemmProblem& problem, ContenderKind kind, const Candidate& candidate,
                     const OperandSets& sets) {
    sets.poison_all(stream);
    for (int launch = 0; launch < sets.count(); ++launch) {
      candidate.enqueue(stream.get(), launch);
    }
    SpotCheck check = checked(problem, sets.product(0, stream));
    for (int set = 1; set < sets.count() && fault(check, kind, problem.accumulate).empty(); ++set) {
      check = checked(problem, sets.product(set, stream));
    }
    return check;
  }

  // The fastest of the algorithms whose product is right; with none right, the fault of the fastest.
  Candidate best_algorithm(const GemmProblem& problem, const LtProduct& product, const OperandSets& sets,
                           const Plan& plan, ContenderResult& result) {
    const std::vector<Candidate> candidates = lt_candidates(product, sets);
    int wrong = 0;
    for (const std::size_t place : by_speed(candidates, plan, stream, monitor)) {
      const SpotCheck check = verified(problem, result.kind, candidates[place], sets);
      if (fault(check, result.kind, problem.accumulate).empty()) {
        result.check = check;
        result.algorithm = candidates[place].name + (wrong > 0 ? fmt::format(", {} faster wrong", wrong) : "");
        return candidates[place];
      }
      result.check = wrong == 0 ? check : result.check;
      ++wrong;
    }
    require_right(problem, result);
    return {};
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
  impl_->a.reset();
  impl_->b.reset();
  cuda::require_memory(a_bytes + b_bytes, "bench: A and B");
  impl_->a = std::make_unique<cuda::Buffer>(a_bytes);
  impl_->b = std::make_unique<cuda::Buffer>(b_bytes);
  impl_->a->fill(operands.a, a_bytes, impl_->stream.get());
  impl_->b->fill(operands.b, b_bytes, impl_->stream.get());
  impl_->stream.synchronize();
}

const Stream& Session::stream() const {
  return impl_->stream;
}

const Monitor& Session::monitor() const {
  return impl_->monitor;
}

void Session::warm_up(const GemmProblem& problem, double seconds) {
  const OperandSets sets(problem, 1, *impl_->a, *impl_->b, impl_->stream);
  bench::warm_up(kernel_candidate(problem, configure(problem, on_gpu({})), sets), seconds, impl_->stream);
}

ShapeResult Session::run(const GemmProblem& problem, const std::vector<Contender>& contenders, const Plan& plan) {
  ShapeResult result;
  result.problem = problem;
  result.operand_sets = plan.cold ? rotated_sets(problem, impl_->environment.l2_bytes) : 1;
  const OperandSets sets(problem, result.operand_sets, *impl_->a, *impl_->b, impl_->stream);
  impl_->known.reset();
  std::optional<LtProduct> lt;
  std::vector<Candidate> candidates;
  for (const Contender& contender : contenders) {
    ContenderResult& r = result.contenders.emplace_back();
    r.label = contender.label;
    r.kind = contender.kind;
    if (contender.kind == ContenderKind::cublaslt_best) {
      lt.emplace(impl_->lt().product(problem));
      candidates.push_back(impl_->best_algorithm(problem, *lt, sets, plan, r));
      continue;
    }
    candidates.push_back(contender.kind == ContenderKind::cublas ? cublas_candidate(problem, *impl_->cublas, sets)
                                                                 : chosen_kernel(problem, contender.options, sets, r));
    r.check = impl_->verified(problem, r.kind, candidates.back(), sets);
    require_right(problem, r);
  }
  const std::vector<Timing> timings = measure(candidates, plan, impl_->stream, impl_->monitor);
  for (std::size_t i = 0; i < timings.size(); ++i) {
    fill_in(result.contenders[i], timings[i], flops(problem));
  }
  return result;
}

}  // namespace tileloom::bench
