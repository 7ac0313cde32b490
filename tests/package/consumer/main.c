/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "tileloom/gemm.h"

/* (1, 1, 1) times itself, in f16 bit patterns: 3. */
int main(void) {
  const uint16_t ones[3] = {0x3c00, 0x3c00, 0x3c00};
  uint16_t d[1] = {0x7e00};
  tileloom_gemm_args args = TILELOOM_GEMM_ARGS_INIT;
  args.m = 1;
  args.n = 1;
  args.k = 3;
  args.a = ones;
  args.lda = 3;
  args.b = ones;
  args.ldb = 3;
  args.d = d;
  args.ldd = 1;
  args.backend = TILELOOM_BACKEND_EMULATOR;
  if (tileloom_gemm_host(&args) != TILELOOM_STATUS_SUCCESS) {
    fprintf(stderr, "consumer_c: %s\n", tileloom_last_error());
    return 1;
  }
  args.lda = 2;
  if (tileloom_gemm_host(&args) != TILELOOM_STATUS_INVALID_VALUE || strstr(tileloom_last_error(), "lda") == NULL) {
    fprintf(stderr, "consumer_c: a bad lda was not reported\n");
    return 1;
  }
  puts(d[0] == 0x4200 ? "consumer_c: right" : "consumer_c: wrong");
  return d[0] == 0x4200 ? 0 : 1;
}
