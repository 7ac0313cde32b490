// SPDX-License-Identifier: Apache-2.0
#include "emu/follow/action.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "emu/check/site.hpp"
#include "emu/isa/shuffle.hpp"

namespace tileloom::emu {
namespace {

using Kind = Action::Kind;

std::vector<std::string_view> words_of(std::string_view opcode) {
  std::vector<std::string_view> words;
  while (!opcode.empty()) {
    const std::size_t end = std::min(opcode.find('.'), opcode.size());
    words.push_back(opcode.substr(0, end));
    opcode.remove_prefix(std::min(end + 1, opcode.size()));
  }
  return words;
}

bool has(const std::vector<std::string_view>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 31> arithmetic{"add", "sub", "mul",      "fma",  "mad",   "neg",   "abs", "min",
                                                      "max", "div", "rcp",      "sqrt", "rsqrt", "ex2",   "lg2", "tanh",
                                                      "sin", "cos", "copysign", "and",  "or",    "xor",   "not", "lop3",
                                                      "shf", "bfe", "bfi",      "slct", "set",   "mul24", "rem"};

bool is_half(std::string_view type) {
  return type == "f16" || type == "bf16";
}

std::uint8_t halves_of(std::string_view type) {
  return type.ends_with("16") ? 1 : type.ends_with("32") ? 2 : type.ends_with("64") ? 4 : 0;
}

// The types are the last two words.
Action conversion(const std::vector<std::string_view>& words) {
  const std::string_view to = words[words.size() - 2];
  const std::string_view from = words.back();
  if ((to == "f16x2" || to == "bf16x2") && from == "f32") return {Kind::narrow_pair};
  if (is_half(to) && from == "f32") return {Kind::narrow};
  if (to == "f32" && is_half(from)) return {Kind::widen};
  if (to.starts_with('f') || from.starts_with('f') || is_half(to) || is_half(from)) return {Kind::derive};
  const std::uint8_t halves = std::min(halves_of(to), halves_of(from));
  return halves == 0 ? Action{Kind::clear} : Action{Kind::resize, halves};
}

Action shuffle(const std::vector<std::string_view>& words) {
  const Shuffle mode = has(words, "up")     ? Shuffle::up
                       : has(words, "down") ? Shuffle::down
                       : has(words, "bfly") ? Shuffle::bfly
                                            : Shuffle::idx;
  return {Kind::shuffle, static_cast<std::uint8_t>(mode)};
}

Action move(const Op& op) {
  if (op.list_reads != 0) return {op.mode == 8 ? Kind::clear : Kind::pack};
  if (op.list_writes != 0) return {op.mode == 8 ? Kind::clear : Kind::unpack};
  return {op.a.used() && op.imm == 0 ? Kind::copy : Kind::clear};
}

Action by_site(const Site& site, std::string_view root) {
  switch (site.kind) {
    case Site::Kind::load:
      return {Kind::load};
    case Site::Kind::store:
      return {Kind::store};
    case Site::Kind::atomic:
      return {root == "ld" ? Kind::load : root == "st" ? Kind::store : Kind::clear};
    case Site::Kind::load_matrix:
      return {Kind::load_matrix};
    case Site::Kind::store_matrix:
      return {Kind::store_matrix};
    case Site::Kind::copy:
      return {Kind::copy_async};
    default:
      return {Kind::none};
  }
}

bool writes(const Op& op, const Program& program) {
  const auto is_register = [&](Slot s) {
    return s.used() && s.area() == Slot::Area::frame && program.class_of_slot(s) != RegisterClass::predicate;
  };
  return is_register(op.d) || is_register(op.d2) || op.list_writes != 0;
}

Action action_of(const Op& op, const Site& site, std::string_view opcode, const Program& program) {
  const std::vector<std::string_view> words = words_of(opcode);
  const std::string_view root = words[0];
  if (const Action access = by_site(site, root); access.kind != Kind::none) return access;
  if (root == "mma") return {Kind::mma};
  if (!writes(op, program)) return {};
  if (root == "mov") return move(op);
  if (root == "selp") return {Kind::select};
  if (root == "shfl") return shuffle(words);
  if (root == "prmt") return {words.size() == 2 ? Kind::permute : Kind::clear};
  if (root == "cvt") return conversion(words);
  if (root == "shl" || root == "shr") return {Kind::shift, static_cast<std::uint8_t>(root == "shl" ? 1 : 0)};
  if (std::ranges::find(arithmetic, root) == arithmetic.end()) return {Kind::clear};
  return {words.back().ends_with("16x2") ? Kind::derive_halves : Kind::derive};
}

}  // namespace

std::vector<Action> find_actions(const Program& program) {
  const std::vector<Site> sites = find_sites(program);
  std::vector<Action> actions;
  actions.reserve(sites.size());
  std::uint32_t mmas = 0;
  for (std::uint32_t at = 0; at < sites.size(); ++at) {
    actions.push_back(action_of(program.ops[at], sites[at], program.opcode(at), program));
    if (actions.back().kind == Kind::mma) actions.back().number = mmas++;
  }
  return actions;
}

}  // namespace tileloom::emu
