/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Half-precision GEMM on tensor cores, from C.
 *
 *   D = A * B^T      A is m x k, B is n x k, D is m x n; all row-major f16
 *
 *   tileloom_gemm_args args = TILELOOM_GEMM_ARGS_INIT;
 *   args.m = 1000; args.n = 1000; args.k = 333;
 *   args.a = a; args.lda = 333;
 *   args.b = b; args.ldb = 333;
 *   args.d = d; args.ldd = 1000;
 *   if (tileloom_gemm_host(&args) != TILELOOM_STATUS_SUCCESS) fprintf(stderr, "%s\n", tileloom_last_error());
 *
 * No function throws, aborts or prints. Every function may be called from any thread.
 */
#ifndef TILELOOM_GEMM_H
#define TILELOOM_GEMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(modernize-use-using): C has no `using` */
/* All but the last have the meaning and the number of cuBLAS's status of that name. */
typedef enum tileloom_status {
  TILELOOM_STATUS_SUCCESS = 0,
  TILELOOM_STATUS_NOT_INITIALIZED = 1,   /* backend cuda: no driver, or no GPU */
  TILELOOM_STATUS_ALLOC_FAILED = 3,      /* memory of the host or the GPU ran out */
  TILELOOM_STATUS_INVALID_VALUE = 7,     /* an argument is outside its range; the last error names it */
  TILELOOM_STATUS_ARCH_MISMATCH = 8,     /* the kernel has no image for this architecture */
  TILELOOM_STATUS_EXECUTION_FAILED = 13, /* the launch failed, or the kernel did something wrong */
  TILELOOM_STATUS_INTERNAL_ERROR = 14,
  TILELOOM_STATUS_NOT_SUPPORTED = 15, /* right arguments, but larger than what a kernel can run */
  TILELOOM_STATUS_IO = 100            /* the operating system refused to read or write */
} tileloom_status;

/* The type that the products are summed in. D is rounded from it to f16. */
typedef enum tileloom_accumulate { TILELOOM_ACCUMULATE_F32 = 0, TILELOOM_ACCUMULATE_F16 = 1 } tileloom_accumulate;

/* Where it runs. `auto` takes the GPU if one is usable, else the emulator, which runs the same kernel on the CPU. */
typedef enum tileloom_backend {
  TILELOOM_BACKEND_AUTO = 0,
  TILELOOM_BACKEND_CUDA = 1,
  TILELOOM_BACKEND_EMULATOR = 2
} tileloom_backend;

/*
 * Everything about one GEMM. Start from TILELOOM_GEMM_ARGS_INIT; a field left at zero has its default.
 * Sizes and leading dimensions are in elements. Checked in the order of the fields; the first bad one is reported.
 * D must not overlap A or B; A and B may be the same matrix.
 */
typedef struct tileloom_gemm_args {
  size_t struct_size; /* sizeof(tileloom_gemm_args) of the caller: later versions add fields at the end */
  int64_t m;          /* rows of A and D, >= 0; with m = 0 or n = 0 nothing is read or written */
  int64_t n;          /* rows of B, columns of D, >= 0 */
  int64_t k;          /* columns of A and B, >= 0; with k = 0 D becomes zero, A and B are not read */
  const void* a;      /* f16, a multiple of 2 bytes; may be NULL when it is not read */
  int64_t lda;        /* elements from a row of A to the next, >= max(1, k); those past k are never used */
  const void* b;      /* f16, as a */
  int64_t ldb;        /* >= max(1, k) */
  void* d;            /* f16; its columns past n are never written */
  int64_t ldd;        /* >= max(1, n) */
  int32_t accumulate; /* a tileloom_accumulate; default f32 */
  int32_t backend;    /* a tileloom_backend; default auto */
  int32_t arch;       /* emulator: what to model, 80, 89, 90, ...; 0: sm_90. cuda: what the GPU must be; 0: any */
  int32_t stages;     /* shared-memory stages of a pipelined kernel; 0: its default */
  const char* kernel; /* an instance or a family, for example "simple"; NULL: chosen for the problem */
  int32_t raster;     /* tile columns in a band of the rasterisation; 0: chosen; -1: off */
  int32_t reserved;   /* zero */
} tileloom_gemm_args;

#define TILELOOM_GEMM_ARGS_INIT \
  { sizeof(tileloom_gemm_args), 0, 0, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, 0, 0, NULL, 0, 0 }

/*
 * Computes D with a, b and d in the memory of the backend: device memory for cuda, the caller's own for the emulator.
 * cuda: works in the calling thread's current context (the first GPU's primary context if there is none), only enqueues
 * on `stream` (a CUstream or cudaStream_t; NULL is the default stream) and returns; errors of the execution itself
 * appear when the stream is synchronised. emulator: `stream` is ignored and D is complete on return.
 */
tileloom_status tileloom_gemm(const tileloom_gemm_args* args, void* stream);

/* Computes D with a, b and d in host memory; copies to the GPU and back when it runs there. D is complete on return. */
tileloom_status tileloom_gemm_host(const tileloom_gemm_args* args);

/*
 * Writes what tileloom_gemm would do with these arguments, and why, as text: kernel, tile, grid, backend, arch. Nothing
 * is run and the matrices are not read. At most `capacity` bytes are written, the terminating NUL included; `*needed`
 * (may be NULL) receives the size of the whole text with its NUL.
 */
tileloom_status tileloom_gemm_describe(const tileloom_gemm_args* args, char* text, size_t capacity, size_t* needed);

/* "invalid value", and so on; never NULL. */
const char* tileloom_status_string(tileloom_status status);

/*
 * What the last failing call of this thread said: which argument, what was expected, what was found, and where known
 * the way out. Empty before the first failure; valid until this thread's next failing call.
 */
const char* tileloom_last_error(void);

/* "0.1.0" */
const char* tileloom_version(void);

/* NOLINTEND(modernize-use-using) */

#ifdef __cplusplus
}
#endif

#endif
