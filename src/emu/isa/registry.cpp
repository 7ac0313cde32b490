// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "emu/isa/families.hpp"

namespace tileloom::emu {
namespace {

Family family_of(const ptx::Instruction& instruction) {
  for (auto m = instruction.modifiers.rbegin(); m != instruction.modifiers.rend(); ++m) {
    const auto type = ptx::parse_type(*m);
    if (!type) continue;
    if (!ptx::is_float(*type)) return Family::integer;
    return *type == ptx::Type::f32 || *type == ptx::Type::f64 ? Family::real : Family::half;
  }
  return Family::integer;
}

using Table = std::unordered_map<std::string_view, std::vector<const DecodeEntry*>>;

Table make_table() {
  Table table;
  for (const DecodeEntry& entry : all_instructions()) table[entry.root].push_back(&entry);
  return table;
}

std::vector<DecodeEntry> join() {
  std::vector<DecodeEntry> all;
  for (const auto family :
       {integer_instructions(), multiply_instructions(), bit_instructions(), real_instructions(),
        approximate_instructions(), half_instructions(), compare_instructions(), move_instructions(),
        convert_instructions(), memory_instructions(), atomic_instructions(), async_copy_instructions(),
        warp_instructions(), matrix_instructions(), control_instructions()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace

std::span<const DecodeEntry> all_instructions() {
  static const std::vector<DecodeEntry> all = join();
  return all;
}

const DecodeEntry* find_entry(const ptx::Instruction& instruction) {
  static const Table table = make_table();
  const auto found = table.find(instruction.root);
  if (found == table.end()) return nullptr;
  for (const DecodeEntry* entry : found->second) {
    if (entry->family == Family::any || entry->family == family_of(instruction)) return entry;
  }
  return nullptr;
}

}  // namespace tileloom::emu
