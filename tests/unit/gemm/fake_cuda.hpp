// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's driver, cuBLAS, cublasLt and NVML: a libcuda.so.1 (and links to it) whose GPU is the host and
// whose every kernel is the GEMM of its parameter struct or a ceiling's. It lets the CUDA backend's and the benchmarks'
// own logic be tested on a machine without a GPU. Time is counted, not measured: each product takes as long as the
// environment says.
//   FAKE_CUDA_DEVICES  number of GPUs (1)      FAKE_CUDA_SM   compute capabilities, by device (90)
//   FAKE_CUDA_CURRENT  the GPU of a context that is current (0)
//   FAKE_CUDA_L2       bytes of L2 (0)         FAKE_CUDA_MIB  free device memory (3072)
//   FAKE_CUDA_FAIL     NAME:CODE, a function that fails, for example cuInit:100
//   FAKE_CUDA_KERNEL_US, FAKE_CUDA_CUBLAS_US   microseconds that a product takes (2000, 1000)
//   FAKE_CUDA_WAVE     how many percent longer two of each four kernels take (0)
//   FAKE_CUDA_SKIP_FIRST   elements at the start of D that are left as they are (0)
//   FAKE_CUDA_SKIP_EACH    n: one kernel of each n in a row does nothing (0: none)
//   FAKE_CUBLAS_WRONG      not 0: cuBLAS's products are wrong
//   FAKE_CUBLASLT_US       microseconds of cublasLt's algorithms, `900,800`; one is wrong where a `w` follows its
//   number FAKE_CEILING_WRONG     which work the ceilings' kernels do not do: multiply, zero, one_cta, copy
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fake {

int environment(const char* name, int otherwise);
std::string environment_text(const char* name);
int planned_failure(const std::string& function);

// Work runs where it is enqueued, or becomes part of the graph that the stream captures.
void enqueue(void* stream, std::function<void()> work);
void pass_time(double microseconds);

// The ceilings' kernels, by name; false for another.
bool launch_ceiling(const char* name, unsigned grid, unsigned block, void** parameters, void* stream);

}  // namespace fake

#define FAKE(name, ...)             \
  extern "C" int name(__VA_ARGS__); \
  extern "C" int name(__VA_ARGS__)
#define FAIL_IF_PLANNED()                                    \
  if (const int planned = fake::planned_failure(__func__)) { \
    return planned;                                          \
  }
