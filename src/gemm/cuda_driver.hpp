// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver, found at run time: no header and no library of CUDA is needed to build or to start.
//
// The declarations below restate the few of cuda.h (CUDA 12.0) that are used; names and numbers are NVIDIA's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tileloom::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;

inline constexpr CUresult CUDA_SUCCESS = 0;
inline constexpr CUresult CUDA_ERROR_OUT_OF_MEMORY = 2;
inline constexpr CUresult CUDA_ERROR_NO_BINARY_FOR_GPU = 209;
inline constexpr CUresult CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222;
inline constexpr CUresult CUDA_ERROR_NOT_READY = 600;

// CUdevice_attribute
inline constexpr int CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16;
inline constexpr int CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38;  // bytes
inline constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75;
inline constexpr int CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;
inline constexpr int CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88;
// CUfunction_attribute
inline constexpr int CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
// CUstream_flags, CUstreamCaptureMode
inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;
inline constexpr int CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1;
inline constexpr int CU_STREAM_CAPTURE_MODE_RELAXED = 2;
// CUpointer_attribute
inline constexpr int CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2;

// One line a function that is used: its name in our table, its exported name, its parameters.
// clang-format off
#define TILELOOM_CUDA_FUNCTIONS(X)                                                                              \
  X(init, "cuInit", (unsigned flags))                                                                           \
  X(driver_version, "cuDriverGetVersion", (int* version))                                                       \
  X(error_name, "cuGetErrorName", (CUresult error, const char** text))                                          \
  X(error_string, "cuGetErrorString", (CUresult error, const char** text))                                      \
  X(device_count, "cuDeviceGetCount", (int* count))                                                             \
  X(device, "cuDeviceGet", (CUdevice* device, int ordinal))                                                     \
  X(device_name, "cuDeviceGetName", (char* name, int length, CUdevice device))                                  \
  X(device_memory, "cuDeviceTotalMem_v2", (std::size_t* bytes, CUdevice device))                                \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, CUdevice device))                     \
  X(primary_context, "cuDevicePrimaryCtxRetain", (CUcontext* context, CUdevice device))                         \
  X(current_context, "cuCtxGetCurrent", (CUcontext* context))                                                   \
  X(current_device, "cuCtxGetDevice", (CUdevice* device))                                                       \
  X(push_context, "cuCtxPushCurrent_v2", (CUcontext context))                                                   \
  X(pop_context, "cuCtxPopCurrent_v2", (CUcontext* context))                                                    \
  X(load_library, "cuLibraryLoadData", (CUlibrary* library, const void* code, void* jit_options,                \
                                        void** jit_values, unsigned jit_count, void* library_options,           \
                                        void** library_values, unsigned library_count))                         \
  X(unload_library, "cuLibraryUnload", (CUlibrary library))                                                     \
  X(find_kernel, "cuLibraryGetKernel", (CUkernel* kernel, CUlibrary library, const char* name))                 \
  X(set_kernel_attribute, "cuKernelSetAttribute", (int attribute, int value, CUkernel kernel, CUdevice device)) \
  X(launch, "cuLaunchKernel", (CUkernel kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,              \
                               unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,     \
                               CUstream stream, void** parameters, void** extra))                               \
  X(allocate, "cuMemAlloc_v2", (CUdeviceptr* at, std::size_t bytes))                                            \
  X(free, "cuMemFree_v2", (CUdeviceptr at))                                                                     \
  X(memory_info, "cuMemGetInfo_v2", (std::size_t* free_bytes, std::size_t* all_bytes))                          \
  X(copy_on_device, "cuMemcpyDtoDAsync_v2", (CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream s))  \
  X(copy_to_device, "cuMemcpyHtoDAsync_v2", (CUdeviceptr to, const void* from, std::size_t bytes, CUstream s))  \
  X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void* to, CUdeviceptr from, std::size_t bytes, CUstream s))          \
  X(synchronize, "cuStreamSynchronize", (CUstream stream))                                                      \
  X(fill_halves, "cuMemsetD16Async", (CUdeviceptr at, unsigned short value, std::size_t count, CUstream s))     \
  X(create_stream, "cuStreamCreate", (CUstream* stream, unsigned flags))                                        \
  X(destroy_stream, "cuStreamDestroy_v2", (CUstream stream))                                                    \
  X(begin_capture, "cuStreamBeginCapture_v2", (CUstream stream, int mode))                                      \
  X(exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", (int* mode))                                    \
  X(end_capture, "cuStreamEndCapture", (CUstream stream, CUgraph* graph))                                       \
  X(instantiate, "cuGraphInstantiateWithFlags", (CUgraphExec* executable, CUgraph graph,                        \
                                                 unsigned long long flags))                                     \
  X(launch_graph, "cuGraphLaunch", (CUgraphExec executable, CUstream stream))                                   \
  X(destroy_graph, "cuGraphDestroy", (CUgraph graph))                                                           \
  X(destroy_executable, "cuGraphExecDestroy", (CUgraphExec executable))                                         \
  X(create_event, "cuEventCreate", (CUevent* event, unsigned flags))                                            \
  X(destroy_event, "cuEventDestroy_v2", (CUevent event))                                                        \
  X(record_event, "cuEventRecord", (CUevent event, CUstream stream))                                            \
  X(wait_for_event, "cuEventSynchronize", (CUevent event))                                                      \
  X(query_event, "cuEventQuery", (CUevent event))                                                               \
  X(event_milliseconds, "cuEventElapsedTime", (float* milliseconds, CUevent from, CUevent to))                  \
  X(bus_id, "cuDeviceGetPCIBusId", (char* text, int length, CUdevice device))                                   \
  X(pointer_attribute, "cuPointerGetAttribute", (void* data, int attribute, CUdeviceptr pointer))
// clang-format on

struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the arguments are a declaration's name and parameter list
#define TILELOOM_DECLARE(name, symbol, parameters) CUresult(*name) parameters = nullptr;
  TILELOOM_CUDA_FUNCTIONS(TILELOOM_DECLARE)
#undef TILELOOM_DECLARE
};

// What stands in the way of using the driver, and the way out. Empty text: nothing.
struct Obstacle {
  std::string text;
  std::string hint;
};

// The driver, loaded and initialised once in the process; nullptr with `obstacle` filled where there is none.
[[nodiscard]] const Driver* find_driver(Obstacle& obstacle);

// `CUDA_ERROR_OUT_OF_MEMORY (out of memory)`.
[[nodiscard]] std::string describe(const Driver& driver, CUresult result);

}  // namespace tileloom::cuda
