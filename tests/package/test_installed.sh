#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build and uses it from a separate project, in a folder whose name has a space.
#   test_installed.sh BUILD_FOLDER CONSUMER_SOURCE UNIT_TEST_EXAMPLE
set -euo pipefail
build=$1 consumer=$2 example=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix"

cmake --install "$build" --prefix "$prefix" >/dev/null
# build_project SOURCE NAME
build_project() {
  cmake -S "$1" -B "$work/$2" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
  cmake --build "$work/$2" -- --quiet
}
build_project "$consumer" build
"$work/build/consumer"
"$work/build/consumer_c"
"$prefix/bin/tileloom" --version
build_project "$example" unit-test
"$work/unit-test/gemm_test" --gtest_brief=1
