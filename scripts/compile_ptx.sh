#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles one kernel source to PTX that depends on its sources and the compiler alone, not on where they lie.
#   compile_ptx.sh NVCC COMPUTE_XX SOURCE_ROOT CUTLASS_INCLUDE INPUT.cu OUTPUT.ptx
# Contraction is off, so that emulator and GPU round alike; -lineinfo attributes instructions to source lines.
set -euo pipefail
nvcc=$1 arch=$2 root=$3 cutlass=$4 input=$5 output=$6

"$nvcc" -ptx -arch="$arch" -std=c++17 -lineinfo -fmad=false --expt-relaxed-constexpr -diag-suppress 186,940 \
  -I"$root/src" -isystem "$cutlass" "$input" -o "$output.raw"

# Paths become relative. Names with internal linkage carry a hash of the input's path: nvcc's unused variables go, and
# in the byte strings of the debug section (where `_INTERNAL_` is 95,73,78,...) the eight digits become zeros.
sed -E \
  -e "/^\.global .*_INTERNAL_/d" \
  -e "s|\"$cutlass/|\"cutlass/|; s|\"$root/|\"|; s|\"[^\"]*/targets/[^/]*/include/|\"cuda/|" \
  -e "s|\"[^\"]*/generated/([^\"/]*)\"|\"src/kernels/generated/\1\"|" \
  "$output.raw" |
  perl -0pe '
    my $next = qr/,|\n\.b8 /;
    my $internal = join "(?:$next)", (95, 73, 78, 84, 69, 82, 78, 65, 76, 95);
    s{($internal)((?:(?:$next)\d+){8})}{my ($name, $hash) = ($1, $2); $hash =~ s/(?<![b\d])\d+/48/g; $name . $hash}ge' \
    >"$output.tmp"
rm "$output.raw"
mv "$output.tmp" "$output"
