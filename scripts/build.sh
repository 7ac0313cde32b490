#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures a preset when needed, builds targets in it, and points bin/tileloom at the result. Tests, benchmarks and the
# Python package are configured once they are asked for: until then what they need does not have to be there.
#   build.sh PRESET NINJA_FLAGS TARGET...
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1 flags=$2
shift 2

export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1  # clones share what they compile
tests=OFF
case " $* " in *" all "* | *" sanitized_tests "*) tests=ON ;; esac
python=OFF
case $preset in release | nocuda) python=$tests ;; esac
parts=(-DTILELOOM_BUILD_PYTHON=$python)
[ $tests = ON ] || parts+=(-DTILELOOM_BUILD_TESTS=OFF -DTILELOOM_BUILD_BENCHMARKS=OFF)
launcher=()
command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
if [ ! -f "build/$preset/build.ninja" ]; then
  mkdir -p "build/$preset"
  if ! cmake --preset "$preset" "${launcher[@]}" "${parts[@]}" >"build/$preset/configure.log" 2>&1; then
    cat "build/$preset/configure.log" >&2
    exit 1
  fi
  grep -E '^-- Tileloom:' "build/$preset/configure.log" | sed 's/^-- //' || true
fi
if [ $tests = ON ] && grep -q '^TILELOOM_BUILD_TESTS:BOOL=OFF' "build/$preset/CMakeCache.txt"; then
  cmake -DTILELOOM_BUILD_TESTS=ON -DTILELOOM_BUILD_BENCHMARKS=ON -DTILELOOM_BUILD_PYTHON=$python \
    "build/$preset" >"build/$preset/configure.log" 2>&1 ||
    { cat "build/$preset/configure.log" >&2; exit 1; }
fi

echo "Building ($preset)"
# shellcheck disable=SC2086
cmake --build "build/$preset" --target "$@" -- $flags

if [ -x "build/$preset/src/cli/tileloom" ] && [ "$preset" != asan ]; then
  mkdir -p bin
  ln -sfn "../build/$preset/src/cli/tileloom" bin/tileloom
fi
