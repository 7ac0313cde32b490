#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a wheel, installs it into an empty virtual environment, and uses it there: layouts with nothing else installed,
# then a GEMM in the emulator with numpy. Prints how long pip took. Needs what scripts/setup.sh test installs; no network.
#   wheel_test.sh [CMAKE_DEFINITION=VALUE...]
set -euo pipefail
cd "$(dirname "$0")/.."

python=$PWD/.deps/python/bin/python
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
settings=()
for definition in "$@"; do
  settings+=("--config-settings=cmake.define.$definition")
done
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1
if command -v ccache >/dev/null; then  # which tells c++ and g++ apart
  export CC=cc CXX=c++ CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_C_COMPILER_LAUNCHER=ccache
fi

seconds() { local begin=$SECONDS; "$@"; echo "$((SECONDS - begin)) s: ${*:3:3} ..."; }

seconds "$python" -m pip wheel --quiet --no-build-isolation --no-deps "${settings[@]}" --wheel-dir "$folder" .
wheel=$(echo "$folder"/*.whl)
echo "$(basename "$wheel"): $(($(stat -c %s "$wheel") / 1024)) KiB"
"$python" -m venv "$folder/empty"
seconds "$folder/empty/bin/python" -m pip install --quiet "$wheel"

cd "$folder"  # not where the sources are
unneeded=$(ldd empty/lib/python*/site-packages/tileloom/_tileloom*.so |
  grep -vE 'linux-vdso|libc\.so|libm\.so|libdl\.so|libpthread\.so|librt\.so|ld-linux' || true)
[ -z "$unneeded" ] || { echo "the module needs libraries of this machine:"; echo "$unneeded"; exit 1; }
empty/bin/python - <<'END'
import pathlib, sys
import tileloom
assert str(tileloom.evaluate("coalesce((_2,_4):(_1,_2))")) == "_8:_1"
assert tileloom.MmaAtom("m16n8k16 f16").a.where(0, 9).where == "a2[31:16]"
package = pathlib.Path(tileloom.__file__).parent
assert package.is_relative_to(sys.prefix), package
for file in ("py.typed", "_tileloom.pyi"):
    assert (package / file).exists(), file
print("layouts:", tileloom.__version__, "works in an empty environment")
END
PYTHONPATH=$("$python" -c "import numpy; print(numpy.__path__[0] + '/..')") empty/bin/python - <<'END'
import numpy, tileloom
rng = numpy.random.default_rng(0)
a = rng.integers(-3, 4, (70, 40)).astype(numpy.float16)
b = rng.integers(-3, 4, (50, 40)).astype(numpy.float16)
d = tileloom.gemm(a, b, backend="emulator")
assert numpy.array_equal(d, (a.astype(numpy.float32) @ b.T.astype(numpy.float32)).astype(numpy.float16))
print("gemm: 70 x 50 x 40 in the emulator is exact")
END
