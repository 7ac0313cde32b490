// SPDX-License-Identifier: Apache-2.0
#include "emu/check/site.hpp"

#include <string_view>

namespace tileloom::emu {
namespace {

bool has(std::string_view opcode, std::string_view modifier) {
  for (std::size_t at = opcode.find(modifier); at != std::string_view::npos; at = opcode.find(modifier, at + 1)) {
    const std::size_t end = at + modifier.size();
    if (at > 0 && opcode[at - 1] == '.' && (end == opcode.size() || opcode[end] == '.')) return true;
  }
  return false;
}

bool is_strong(std::string_view opcode) {
  for (const std::string_view m : {"relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"}) {
    if (has(opcode, m)) return true;
  }
  return false;
}

Site::Kind kind_of(std::string_view opcode) {
  using Kind = Site::Kind;
  const std::string_view root = opcode.substr(0, opcode.find('.'));
  if (root == "ld" || root == "ldu") return is_strong(opcode) ? Kind::atomic : Kind::load;
  if (root == "st") return is_strong(opcode) ? Kind::atomic : Kind::store;
  if (root == "atom" || root == "red") return Kind::atomic;
  if (root == "ldmatrix") return Kind::load_matrix;
  if (root == "stmatrix") return Kind::store_matrix;
  if (root == "membar" || root == "fence") return has(opcode, "proxy") ? Kind::other : Kind::fence;
  if (root != "cp" || !has(opcode, "async")) return Kind::other;
  if (has(opcode, "wait_group")) return Kind::wait_group;
  if (has(opcode, "wait_all")) return Kind::wait_all;
  return has(opcode, "commit_group") ? Kind::other : Kind::copy;
}

// PTX ISA: a cluster has one CTA unless the launch says otherwise, which the emulator cannot.
Site by_opcode(std::string_view opcode) {
  Site site{kind_of(opcode)};
  site.acquires = has(opcode, "acquire") || has(opcode, "acq_rel");
  site.releases = has(opcode, "release") || has(opcode, "acq_rel");
  site.cta_scope = has(opcode, "cta") || has(opcode, "cluster");
  return site;
}

bool may_race(ptx::Space space) {
  return space == ptx::Space::shared || space == ptx::Space::generic || space == ptx::Space::global;
}

Site site_of(const Op& op, Site by_name) {
  if (op.kind == Op::Kind::warp_barrier) return {Site::Kind::warp_barrier};
  if (op.kind == Op::Kind::cta_barrier) return {Site::Kind::cta_barrier};
  const bool accesses =
      by_name.kind == Site::Kind::load || by_name.kind == Site::Kind::store || by_name.kind == Site::Kind::atomic;
  return accesses && !may_race(op.space) ? Site{} : by_name;
}

}  // namespace

std::vector<Site> find_sites(const Program& program) {
  std::vector<Site> by_name;
  for (const std::string& opcode : program.opcodes) by_name.push_back(by_opcode(opcode));
  std::vector<Site> sites;
  sites.reserve(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    sites.push_back(site_of(program.ops[i], by_name[program.sources[i].opcode]));
  }
  return sites;
}

}  // namespace tileloom::emu
