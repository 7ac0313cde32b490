#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a preset when needed, builds targets in it, and points bin/tileloom at the result.
#   build.sh PRESET NINJA_FLAGS TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 flags=$2
shift 2

export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # clones share what they compile
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
if [ ! -f "build/$preset/build.ninja" ]; then
  mkdir -p "build/$preset"
  if ! cmake --preset "$preset" "${launcher[@]}" >"build/$preset/configure.log" 2>&1; then
    cat "build/$preset/configure.log" >&2
    exit 1
  fi
  grep -E '^-- Tileloom:' "build/$preset/configure.log" | sed 's/^-- //' || true
fi

echo "Building ($preset)"
# shellcheck disable=SC2086
cmake --build "build/$preset" --target "$@" -- $flags

if [ -x "build/$preset/src/cli/tileloom" ] && [ "$preset" != asan ]; then
  mkdir -p bin
  ln -sfn "../build/$preset/src/cli/tileloom" bin/tileloom
fi
