#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing and skips what is there: Debian packages (root or sudo); when nvcc is on the PATH, the CUTLASS
# headers under .deps/; for tests, a virtual environment in .deps/python with what the Python package's build and tests
# need. With everything in place it needs no network and takes well under a second.
#   setup.sh build|test|fuzz|lint
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-build}
cutlass_version=4.2.0.0
min_nvcc=12.4

packages=(g++ cmake ninja-build ccache libcli11-dev libfmt-dev nlohmann-json3-dev liblz4-dev libzstd-dev zstd perl)
test_packages=(libgtest-dev librapidcheck-dev libbenchmark-dev libvalijson-dev libexpat1-dev)
case $purpose in
  build) ;;
  test) packages+=("${test_packages[@]}") ;;
  fuzz) packages+=(clang libclang-rt-14-dev) ;;
  lint) packages+=("${test_packages[@]}" clang-format-14 clang-tidy-14) ;;
  *) echo "setup: unknown purpose '$purpose'; expected build, test, fuzz or lint" >&2; exit 2 ;;
esac

fail() { echo "setup: $1" >&2; echo "hint: $2" >&2; exit 3; }

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
  local missing=() package sudo=()
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null ||
    fail "missing: ${missing[*]}" "this script installs with apt-get, which is not here; install them by hand"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "missing: ${missing[*]}" "run as root: apt-get install ${missing[*]}"
    sudo=(sudo)
  fi
  echo "Installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${sudo[@]}" apt-get update && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "apt-get could not install ${missing[*]}" "see the lines above; is the network there?"
  fi
  rm -f "$log"
}

have_nvcc() {
  local version
  version=$(nvcc --version 2>/dev/null | sed -nE 's/.* V([0-9.]+).*/\1/p')
  [ -n "$version" ] && [ "$(printf '%s\n' "$min_nvcc" "$version" | sort -V | head -n 1)" = "$min_nvcc" ]
}

# The wheel carries CUTLASS's include tree; its dependencies (Python packages) are not needed.
fetch_cutlass() {
  local stamp=.deps/cutlass/version folder
  [ -n "${CUTLASS_DIR:-}" ] && return
  [ "$(cat "$stamp" 2>/dev/null)" = "$cutlass_version" ] && return
  echo "Fetching the CUTLASS $cutlass_version headers"
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
  folder=$(mktemp -d)
  python3 -m pip download --quiet --no-deps --dest "$folder" "nvidia-cutlass==$cutlass_version" >"$folder/log" 2>&1 || {
    tail -n 5 "$folder/log" >&2
    fail "could not fetch nvidia-cutlass==$cutlass_version" \
      "set CUTLASS_DIR to a CUTLASS checkout, or take nvcc off the PATH to build without CUDA"
  }
  python3 - "$folder" .deps/cutlass.new <<'END'
import glob, os, sys, zipfile
folder, target = sys.argv[1:]
prefix = "cutlass_library/source/"
with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as wheel:
    for name in wheel.namelist():
        if name.startswith(prefix + "include/") or name.endswith("LICENSE.txt"):
            path = os.path.join(target, name[len(prefix):] if name.startswith(prefix) else "LICENSE.txt")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                out.write(wheel.read(name))
END
  [ -f .deps/cutlass.new/include/cute/tensor.hpp ] ||
    fail "nvidia-cutlass==$cutlass_version holds no include/cute/tensor.hpp" "set CUTLASS_DIR to a CUTLASS checkout"
  echo "$cutlass_version" >.deps/cutlass.new/version
  rm -rf .deps/cutlass "$folder"
  mv .deps/cutlass.new .deps/cutlass
}

# Python 3.10 or later with its headers and pip, from Debian where the python3 of the PATH lacks them.
python_environment() {
  local folder=.deps/python list=bindings/python/requirements.txt python=python3 log
  cmp -s "$list" "$folder/requirements.txt" && "$folder/bin/python" -c "" 2>/dev/null && return
  "$python" -c "import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path('include') + '/Python.h'))" 2>/dev/null || {
    install_packages python3-venv python3-dev
    python=/usr/bin/python3
  }
  echo "Fetching the Python packages of $list"
  log=$(mktemp)
  rm -rf "$folder"
  if ! { "$python" -m venv "$folder" &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list"; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    fail "could not fill $folder with the packages of $list" "see the lines above; is the network there?"
  fi
  rm -f "$log"
  cp "$list" "$folder/requirements.txt"
}

install_packages "${packages[@]}"
if [ "$purpose" = test ]; then
  mkdir -p .deps
  python_environment
fi
if have_nvcc; then
  mkdir -p .deps
  fetch_cutlass
fi
