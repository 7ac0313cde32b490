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

Site by_opcode(std::string_view opcode) {
  const std::string_view root = opcode.substr(0, opcode.find('.'));
  if (root == "ld" || root == "ldu") return is_strong(opcode) ? Site::atomic : Site::load;
  if (root == "st") return is_strong(opcode) ? Site::atomic : Site::store;
  if (root == "atom" || root == "red") return Site::atomic;
  if (root == "ldmatrix") return Site::load_matrix;
  if (root == "stmatrix") return Site::store_matrix;
  if (root != "cp" || !has(opcode, "async")) return Site::other;
  if (has(opcode, "wait_group")) return Site::wait_group;
  if (has(opcode, "wait_all")) return Site::wait_all;
  return has(opcode, "commit_group") ? Site::other : Site::copy;
}

bool may_be_shared(ptx::Space space) {
  return space == ptx::Space::shared || space == ptx::Space::generic || space == ptx::Space::global;
}

Site site_of(const Op& op, Site by_name) {
  if (op.kind == Op::Kind::warp_barrier) return Site::warp_barrier;
  if (op.kind == Op::Kind::cta_barrier) return Site::cta_barrier;
  switch (by_name) {
    case Site::load:
    case Site::store:
      return op.space == ptx::Space::shared || op.space == ptx::Space::generic ? by_name : Site::other;
    case Site::atomic:
      return may_be_shared(op.space) ? by_name : Site::other;
    default:
      return by_name;
  }
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
