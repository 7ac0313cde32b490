// SPDX-License-Identifier: Apache-2.0
#include "emu/ptx/scopes.hpp"

#include <charconv>

namespace tileloom::emu::ptx {

std::uint32_t Scopes::make_register(Block& block, const std::string& name, Type type) {
  const auto id = static_cast<std::uint32_t>(registers_->size());
  registers_->push_back({name, type});
  block.names[name] = {Found::Kind::reg, id};
  return id;
}

bool Scopes::declare_register(const std::string& name, Type type) {
  Block& block = blocks_.back();
  if (block.names.contains(name)) return false;
  make_register(block, name, type);
  return true;
}

bool Scopes::declare_variable(const std::string& name, std::uint32_t variable) {
  return blocks_.back().names.emplace(name, Found{Found::Kind::variable, variable}).second;
}

void Scopes::declare_range(std::string prefix, std::uint64_t count, Type type) {
  blocks_.back().ranges.push_back({std::move(prefix), count, type});
}

Scopes::Found Scopes::find(const std::string& name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const std::string_view prefix = std::string_view(name).substr(0, digits);
  std::uint64_t number = 0;
  const bool numbered = digits < name.size() && (name[digits] != '0' || digits + 1 == name.size()) &&
                        std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc();
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (const auto found = block->names.find(name); found != block->names.end()) return found->second;
    if (!numbered) continue;
    for (const Range& range : block->ranges) {
      if (range.prefix == prefix && number < range.count) {
        return {Found::Kind::reg, make_register(*block, name, range.type)};
      }
    }
  }
  return {};
}

}  // namespace tileloom::emu::ptx
