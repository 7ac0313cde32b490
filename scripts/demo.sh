#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demo: the Gram matrix of the handwritten digits, verified, and what it is good for.
#   demo.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
mkdir -p out

run() { printf '\n$ %s\n' "$*"; "$@"; }
run bin/tileloom gemm examples/data/digits.npy examples/data/digits.npy -o out/gram.npy --verify
run "$build/examples/digits_knn" out/gram.npy examples/data/digits_labels.npy
