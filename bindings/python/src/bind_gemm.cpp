// SPDX-License-Identifier: Apache-2.0
// The product itself, on addresses: checks of arrays are Python's (tileloom/_operands.py).
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "gemm/cuda_context.hpp"
#include "gemm/cuda_devices.hpp"
#include "gemm/plan.hpp"
#include "gemm/problem.hpp"
#include "gemm_options.hpp"
#include "signals.hpp"
#include "tileloom/gemm.hpp"

namespace tileloom::python {
namespace {

using namespace nb::literals;

constexpr int host_memory = -1;

void multiply(std::uintptr_t a, std::int64_t lda, std::uintptr_t b, std::int64_t ldb, std::uintptr_t d,
              std::int64_t ldd, std::int64_t m, std::int64_t n, std::int64_t k, const char* accumulate,
              const char* kernel, int stages, int raster_width, const char* backend, const char* arch, int device,
              std::uintptr_t stream) {
  const nb::gil_scoped_release without_python;
  const GemmProblem problem{m, n, k, lda, ldb, ldd, accumulate_of(accumulate)};
  const GemmOperands operands{reinterpret_cast<const void*>(a), reinterpret_cast<const void*>(b),
                              reinterpret_cast<void*>(d)};
  const GemmOptions options = options_of(backend, arch, kernel, stages, raster_width);
  gemm::check(problem, operands, "out");
  LaunchControl control;
  control.stream = reinterpret_cast<void*>(stream);
  if (device == host_memory) {
    control.progress = go_on_unless_interrupted;
    gemm::launch_host(problem, gemm::remembered_plan(problem, options), operands, control);
  } else {
    const cuda::ContextScope scope(device);
    gemm::launch(problem, gemm::remembered_plan(problem, options), operands, control);
  }
}

std::string explain(std::int64_t m, std::int64_t n, std::int64_t k, const char* accumulate, const char* kernel,
                    int stages, int raster_width, const char* backend, const char* arch) {
  const nb::gil_scoped_release without_python;
  const GemmProblem problem = dense_problem(m, n, k, accumulate_of(accumulate));
  return to_string(problem) + '\n' +
         to_string(configure(problem, options_of(backend, arch, kernel, stages, raster_width)));
}

void synchronize(int device, std::uintptr_t stream) {
  const nb::gil_scoped_release without_python;
  const cuda::ContextScope scope(device);
  cuda::require(cuda::driver().synchronize(reinterpret_cast<cuda::CUstream>(stream)), "running the kernel");
}

nb::list gpus() {
  nb::list all;
  cuda::Obstacle obstacle;
  for (const cuda::Device& device : cuda::devices(obstacle)) {
    all.append(nb::make_tuple(device.name, to_string(device.arch)));
  }
  return all;
}

}  // namespace

void bind_gemm(nb::module_& m) {
  m.def("_gemm", &multiply, "a"_a, "lda"_a, "b"_a, "ldb"_a, "d"_a, "ldd"_a, "m"_a, "n"_a, "k"_a, "accumulate"_a,
        "kernel"_a, "stages"_a, "raster_width"_a, "backend"_a, "arch"_a, "device"_a, "stream"_a,
        "D = A @ B.T of f16 matrices at addresses; ``device`` is a GPU's number, or -1 for host memory.\n\n"
        "Of a GPU's memory the product is enqueued on the stream, else it is complete on return.");
  m.def("_synchronize", &synchronize, "device"_a, "stream"_a, "Waits for a stream of a GPU.");
  m.def("gpus", &gpus, nb::sig("def gpus() -> list[tuple[str, str]]"),
        "Name and architecture of each GPU that can be used here; empty where there is none.");
  m.def("_explain", &explain, "m"_a, "n"_a, "k"_a, "accumulate"_a, "kernel"_a, "stages"_a, "raster_width"_a,
        "backend"_a, "arch"_a, "The work of `explain`.");
}

}  // namespace tileloom::python
