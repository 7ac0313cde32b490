#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies the compressed PTX of all instances, with a manifest and ptxas's figures, to src/kernels/ptx/.
#   commit_ptx.sh SOURCE_ROOT IMAGE_FOLDER COMPILER
set -euo pipefail
root=$1 images=$2 compiler=$3
target=$root/src/kernels/ptx

rm -rf "$target"
mkdir -p "$target"
cp "$images"/*.ptx.zst "$target"
"$root/scripts/ptxas_resources.sh" "$images" >"$target/resources.inc"
cat >"$target/MANIFEST.json" <<END
{
  "compiler": "$compiler",
  "sources_sha256": "$("$root/scripts/kernel_sources_hash.sh" "$root")"
}
END
echo "src/kernels/ptx: $(ls "$target" | grep -c zst) files, $(du -sk "$target" | cut -f1) KiB"
