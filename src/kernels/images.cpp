// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <mutex>
#include <utility>

#include "emu/image/decompress.hpp"
#include "kernels/instances.hpp"

extern "C" {
#include "image_symbols.inc"
}

namespace tileloom::kernels {
namespace {

struct ImageRow {
  const char* ptx_begin;
  const char* ptx_end;
  const char* fatbin_begin;
  const char* fatbin_end;
};

#include "image_table.inc"

const ImageRow& images_of(const KernelInstance& instance) {
  return image_table[&instance - instances().data()];
}

// The compiler gives no more than another `.target` (test Ptx.TheCompilerGivesTheSameForEachTarget).
std::string unpacked(const KernelInstance& instance, hw::Arch target) {
  const ImageRow& row = images_of(instance);
  std::string text = emu::unpack_zstd(std::as_bytes(std::span(row.ptx_begin, row.ptx_end))).value();
  const std::string compiled = "\n.target " + to_string(ptx_target_table[0]) + "\n";
  return text.replace(text.find(compiled), compiled.size(), "\n.target " + to_string(target) + "\n");
}

}  // namespace

std::span<const hw::Arch> ptx_targets(const KernelInstance& /*all instances have the same*/) {
  return ptx_target_table;
}

std::optional<hw::Arch> ptx_target(const KernelInstance& instance, hw::Arch arch) {
  std::optional<hw::Arch> newest;
  for (const hw::Arch target : ptx_target_table) {
    if (target <= arch && instance.min_arch <= arch) {
      newest = target;
    }
  }
  return newest;
}

const std::string& ptx_text(const KernelInstance& instance, hw::Arch target) {
  static std::mutex mutex;
  static std::map<std::pair<const KernelInstance*, hw::Arch>, std::string> texts;
  const std::lock_guard lock(mutex);
  auto found = texts.find({&instance, target});
  if (found == texts.end()) {
    found = texts.emplace(std::pair(&instance, target), unpacked(instance, target)).first;
  }
  return found->second;
}

std::span<const std::byte> fatbin(const KernelInstance& instance) {
  const ImageRow& row = images_of(instance);
  return std::as_bytes(std::span(row.fatbin_begin, row.fatbin_end));
}

bool built_with_cuda() {
  return TILELOOM_WITH_CUDA != 0;
}

std::string_view ptx_compiler() {
  return compiler;
}

}  // namespace tileloom::kernels
