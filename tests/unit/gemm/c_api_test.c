/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface from a C11 program: every status that does not need a GPU, and a right product. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tileloom/gemm.h"

static int checks = 0;
static int failures = 0;

static void expect(int condition, const char* text, int line) {
  ++checks;
  if (!condition) {
    ++failures;
    printf("line %d: %s\n  last error: %s\n", line, text, tileloom_last_error());
  }
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)
#define EXPECT_LAST_ERROR(text) EXPECT(strcmp(tileloom_last_error(), text) == 0)

enum { one = 0x3C00, two = 0x4000, six = 0x4600, rows = 5, depth = 3 };

static uint16_t a[rows * depth], b[rows * depth], d[rows * rows];

static tileloom_gemm_args good_args(void) {
  tileloom_gemm_args args = TILELOOM_GEMM_ARGS_INIT;
  args.m = rows;
  args.n = rows;
  args.k = depth;
  args.a = a;
  args.lda = depth;
  args.b = b;
  args.ldb = depth;
  args.d = d;
  args.ldd = rows;
  args.backend = TILELOOM_BACKEND_EMULATOR;
  return args;
}

static void computes(void) {
  for (int i = 0; i < rows * depth; ++i) {
    a[i] = one;
    b[i] = two;
  }
  for (int accumulate = 0; accumulate <= 1; ++accumulate) {
    for (int host = 0; host <= 1; ++host) {
      tileloom_gemm_args args = good_args();
      args.accumulate = accumulate;
      memset(d, 0xFF, sizeof d);
      EXPECT((host ? tileloom_gemm_host(&args) : tileloom_gemm(&args, NULL)) == TILELOOM_STATUS_SUCCESS);
      for (int i = 0; i < rows * rows; ++i) {
        EXPECT(d[i] == six);
      }
    }
  }
}

static void refuses_arguments(void) {
  tileloom_gemm_args args = good_args();
  EXPECT(tileloom_gemm_host(NULL) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT_LAST_ERROR("gemm: args: expected a tileloom_gemm_args, found null");
  args.lda = 2;
  args.d = NULL;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT_LAST_ERROR("gemm: lda: expected at least 3 (max(1, k)), found 2");
  args = good_args();
  args.b = NULL;
  EXPECT(tileloom_gemm(&args, NULL) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT_LAST_ERROR("gemm: b: expected the address of a 5 x 3 matrix, found null");
  args = good_args();
  args.accumulate = 7;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT_LAST_ERROR("gemm: accumulate: expected 0 (f32) or 1 (f16), found 7");
  args = good_args();
  args.backend = 3;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT_LAST_ERROR("gemm: backend: expected 0 (auto), 1 (cuda) or 2 (emulator), found 3");
  args = good_args();
  args.reserved = 1;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT_LAST_ERROR("gemm: reserved: expected 0, found 1");
  args = good_args();
  args.arch = 75;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_ARCH_MISMATCH);
  args.arch = 33;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE);
  args = good_args();
  args.kernel = "simplex";
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT(strstr(tileloom_last_error(), "(did you mean simple?)") != NULL);
  args = good_args();
  args.m = args.n = INT64_C(1) << 30;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE); /* ldd is too small for that n */
  args.ldd = args.n;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_NOT_SUPPORTED);
}

static void returns_at_once_without_work(void) {
  tileloom_gemm_args args = good_args();
  args.a = args.b = args.d = NULL;
  args.m = 0;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_SUCCESS);
  args = good_args();
  args.a = args.b = NULL;
  args.k = 0;
  memset(d, 0xFF, sizeof d);
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_SUCCESS);
  EXPECT(d[0] == 0 && d[rows * rows - 1] == 0);
}

static void takes_older_and_newer_structs(void) {
  struct {
    tileloom_gemm_args known;
    int64_t unknown;
  } newer;
  tileloom_gemm_args args = good_args();
  memset(&newer, 0, sizeof newer);
  newer.known = args;
  newer.known.struct_size = sizeof newer;
  EXPECT(tileloom_gemm_host(&newer.known) == TILELOOM_STATUS_SUCCESS);
  newer.unknown = 1;
  EXPECT(tileloom_gemm_host(&newer.known) == TILELOOM_STATUS_NOT_SUPPORTED);
  args.struct_size = offsetof(tileloom_gemm_args, kernel);
  args.kernel = "a field that this program does not have";
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_SUCCESS);
  args.struct_size = 0;
  EXPECT(tileloom_gemm_host(&args) == TILELOOM_STATUS_INVALID_VALUE);
  EXPECT_LAST_ERROR("gemm: struct_size: expected at least 80, found 0");
}

static void describes(void) {
  char text[2048];
  char little[8];
  size_t needed = 0;
  tileloom_gemm_args args = good_args();
  EXPECT(tileloom_gemm_describe(&args, text, sizeof text, &needed) == TILELOOM_STATUS_SUCCESS);
  EXPECT(needed == strlen(text) + 1);
  EXPECT(strstr(text, "m 5, n 5, k 3") != NULL);
  EXPECT(strstr(text, "multistage_32x32x64_f32") != NULL);
  EXPECT(tileloom_gemm_describe(&args, little, sizeof little, NULL) == TILELOOM_STATUS_SUCCESS);
  EXPECT(strlen(little) == 7 && strncmp(little, text, 7) == 0);
  EXPECT(tileloom_gemm_describe(&args, NULL, 0, &needed) == TILELOOM_STATUS_SUCCESS);
  EXPECT(tileloom_gemm_describe(&args, NULL, 5, &needed) == TILELOOM_STATUS_INVALID_VALUE);
}

static void names_statuses(void) {
  EXPECT(strcmp(tileloom_status_string(TILELOOM_STATUS_SUCCESS), "success") == 0);
  EXPECT(strcmp(tileloom_status_string(TILELOOM_STATUS_INVALID_VALUE), "invalid value") == 0);
  EXPECT(strcmp(tileloom_status_string((tileloom_status)99), "unknown status") == 0);
  EXPECT(strlen(tileloom_version()) >= 5);
}

int main(void) {
  EXPECT(strcmp(tileloom_last_error(), "") == 0);
  computes();
  refuses_arguments();
  returns_at_once_without_work();
  takes_older_and_newer_structs();
  describes();
  names_statuses();
  printf("%d checks, %d failures\n", checks, failures);
  return failures == 0 && checks > 100 ? 0 : 1;
}
