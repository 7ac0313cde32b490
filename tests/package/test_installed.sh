#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the build and uses it from a separate project, in a folder whose name has a space.
#   test_installed.sh BUILD_FOLDER CONSUMER_SOURCE
set -euo pipefail
build=$1 consumer=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix"

cmake --install "$build" --prefix "$prefix" >/dev/null
cmake -S "$consumer" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
cmake --build "$work/build" -- --quiet
"$work/build/consumer"
"$work/build/consumer_c"
"$prefix/bin/tileloom" --version
