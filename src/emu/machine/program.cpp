// SPDX-License-Identifier: Apache-2.0
#include "emu/machine/program.hpp"

#include <fmt/format.h>

#include "emu/machine/cta.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

// Headers whose lines say little to who wrote the kernel: CUTLASS's and the toolkit's own.
bool is_library(const std::string& file) {
  if (file.starts_with("cutlass/") || file.starts_with("cuda/")) return true;  // as our own PTX names them
  for (const char* part : {"/cute/", "/cutlass/", "/cccl/", "/targets/x86_64-linux/include/", "/cuda/include/",
                           "/targets/sbsa-linux/include/"}) {
    if (file.find(part) != std::string::npos) return true;
  }
  return false;
}

std::string base_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

InstructionPlace Program::instruction_place(std::uint32_t op) const {
  const OpSource& from = sources[op];
  InstructionPlace place{opcode(op), "", 0, base_name(source.name), from.line};
  for (std::uint32_t l = from.location; l != ptx::none; l = source.locations[l].parent) {
    const ptx::SourceLocation& location = source.locations[l];
    const auto file = source.files.find(location.file);
    if (file == source.files.end() || location.line == 0) continue;
    const bool ours = !is_library(file->second);
    if (ours || place.file.empty()) {
      place.file = base_name(file->second);
      place.line = location.line;
    }
    if (ours) break;
  }
  return place;
}

std::string Program::place(std::uint32_t op) const {
  return to_string(instruction_place(op));
}

std::string Warp::thread_name(unsigned lane) const {
  const Dim3& block = cta->launch->options.block;
  const std::uint32_t t = index * lanes + lane;
  return fmt::format("thread ({},{},{}), CTA ({},{},{})", t % block.x, t / block.x % block.y, t / block.x / block.y,
                     cta->index.x, cta->index.y, cta->index.z);
}

void Warp::fail(const std::string& what, const std::string& detail, unsigned lane) const {
  const Program& program = *cta->launch->program;
  throw Error(ErrorKind::check_failed, fmt::format("{}: {} at {} {}; {}", what, program.opcode(pc), program.place(pc),
                                                   detail, thread_name(lane)));
}

}  // namespace tileloom::emu
