#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes made/ from plain.cu and toolkit.cu; run it after a change and commit both. Needs nvcc (13.0 made what is there),
# and clang 14 or later with the NVPTX back end.
set -eu
cd "$(dirname "$0")"
work=/tmp/tileloom-others # always the same: debug sections name it
mkdir "$work"
trap 'rm -rf "$work"' EXIT
rm -rf made && mkdir made
made=$PWD/made
cp ./*.cu ./*.cuh "$work"
cd "$work"
# Names that do not tell where it was compiled, but still whose headers they are.
plain_names() {
  sed -E -e '/^\s*\.file/ { s|"[^"]*/targets/[^/]*/include/|"cuda/|; s|"/[^"]*/|"|; }' "$1"
}
pack() { plain_names made.ptx | gzip -9nc >"$made/$1.ptx.gz"; }

# with_nvcc SOURCE NAME OPTIONS...
with_nvcc() {
  source=$1 name=$2
  shift 2
  "${NVCC:-nvcc}" -ptx -std=c++17 "$@" -o made.ptx "$source.cu"
  pack "$source-$name"
}
with_nvcc plain lines -arch=compute_80 -lineinfo
with_nvcc plain O0 -arch=compute_86 -Xcicc -O0
with_nvcc plain debug -arch=compute_90 -G
with_nvcc toolkit lines -arch=compute_90 -lineinfo
with_nvcc toolkit O0 -arch=compute_80 -Xcicc -O0
with_nvcc toolkit debug -arch=compute_89 -G
"${NVCC:-nvcc}" -fatbin -std=c++17 -compress-mode=size -gencode arch=compute_80,code=sm_80 \
  -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=compute_90 -o "$made/plain-many.fatbin" plain.cu

# with_clang SOURCE NAME OPTIONS...
with_clang() {
  source=$1 name=$2
  shift 2
  "${CLANG:-clang++}" -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Xclang -target-feature \
    -Xclang +ptx72 -std=c++17 -Wno-unknown-cuda-version "$@" -S -o made.ptx "$source.cu"
  pack "$source-$name"
}
with_clang plain clang_O2 -O2
with_clang plain clang_O0 -O0 -g
