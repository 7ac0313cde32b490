// SPDX-License-Identifier: Apache-2.0
// Which register or variable a name means inside nested `{ }` blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emu/ptx/ast.hpp"

namespace tileloom::emu::ptx {

class Scopes {
 public:
  // False when the name is already declared in the innermost block.
  [[nodiscard]] bool declare_register(const std::string& name, Type type);
  [[nodiscard]] bool declare_variable(const std::string& name, std::uint32_t variable);
  // `%r<100>`: %r0 ... %r99, made when they are used.
  void declare_range(std::string prefix, std::uint64_t count, Type type);

  void open() { blocks_.emplace_back(); }
  void close() { blocks_.pop_back(); }
  [[nodiscard]] std::size_t depth() const { return blocks_.size(); }

  // New functions number their registers anew, into `registers`.
  void begin_function(std::vector<Register>* registers) { registers_ = registers; }

  struct Found {
    enum class Kind : std::uint8_t { nothing, reg, variable } kind = Kind::nothing;
    std::uint32_t id = none;
  };
  [[nodiscard]] Found find(const std::string& name);

 private:
  struct Range {
    std::string prefix;
    std::uint64_t count;
    Type type;
  };
  struct Block {
    std::unordered_map<std::string, Found> names;
    std::vector<Range> ranges;
  };
  std::uint32_t make_register(Block& block, const std::string& name, Type type);

  std::vector<Block> blocks_{1};
  std::vector<Register>* registers_ = nullptr;
};

}  // namespace tileloom::emu::ptx
