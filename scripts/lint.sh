#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Format, licence lines and clang-tidy over the tracked sources.
set -euo pipefail
cd "$(dirname "$0")/.."
status=0

sources=$(git ls-files '*.cpp' '*.hpp' '*.c' '*.h' '*.cuh')
# shellcheck disable=SC2086
clang-format-14 --dry-run --Werror $sources || status=1

while IFS= read -r file; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || { echo "$file: no SPDX line"; status=1; }
done < <(git ls-files '*.cpp' '*.hpp' '*.c' '*.h' '*.cuh' '*.cu.in' '*.cmake' '*CMakeLists.txt' '*.sh' '*.py' pyproject.toml Makefile .ci/run)

scripts/build.sh dev --quiet all
# shellcheck disable=SC2046
printf '%s\n' $(git ls-files 'src/*.cpp' 'examples/*.cpp') |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 -p build/dev --quiet 2> >(grep -vE 'warnings (generated|treated)|^$' >&2) || status=1
exit $status
