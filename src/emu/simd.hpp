// SPDX-License-Identifier: Apache-2.0
// TILELOOM_VECTOR_CLONES before a function: the compiler makes copies for AVX-512, for AVX2 and for any x86-64, and the
// program takes the right one when it starts. Empty where the compiler cannot do this.
// TILELOOM_FORCE_INLINE before a helper of such a function: it becomes part of each copy.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define TILELOOM_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TILELOOM_VECTOR_CLONES
#endif

#if defined(__GNUC__)
#define TILELOOM_FORCE_INLINE inline __attribute__((always_inline))
#else
#define TILELOOM_FORCE_INLINE inline
#endif
