// SPDX-License-Identifier: Apache-2.0
// Layouts whose sizes and strides are not known yet: text with symbols, as configuration files have it.
//
//   (M,K):(K{div=8},_1)      a row-major matrix whose rows start at multiples of 8 elements
//
// A symbol is a name, and a divisor of its value if one is known; it stands for a dynamic integer of at least that
// divisor. A name is a letter followed by letters, digits and underscores. What is said of a symbol at one place holds
// at all places of the same text: above, K is a multiple of 8 as a size too.
//
//   const SymbolicLayout l = parse_symbolic_layout("(M,K):(K{div=8},_1)");
//   max_alignment(l)                               // 8: the widest vector that every such matrix allows
//   substitute(l, {{"M", 100}, {"K", 4096}})       // (100,4096):(4096,_1)
//   substitute("logical_divide(K{div=8}:_1, _8)", {{"K", 64}})      // (_8,8):(_1,_8)
//
// Symbols end where the algebra begins: the engine computes with numbers, so a text with calls is evaluated by
// substitution, and nothing here prints what CuTe would not.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tileloom/layout/expression.hpp"

namespace tileloom::layout {

struct Symbol {
  std::string name;
  std::int64_t divisor = 1;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

// Value of each symbol by name. Those that a text does not use are allowed.
using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;

// A tree whose leaves are integers or symbols.
class SymbolicTree {
 public:
  // `symbols` has one entry for each leaf of `profile`, in reading order; one without a name is the integer there.
  SymbolicTree(Tree profile, std::vector<Symbol> symbols)
      : profile_(std::move(profile)), symbols_(std::move(symbols)) {}

  // The tree, with a dynamic 1 in place of each symbol.
  [[nodiscard]] const Tree& profile() const noexcept { return profile_; }
  [[nodiscard]] const std::vector<Symbol>& symbols() const noexcept { return symbols_; }
  friend bool operator==(const SymbolicTree&, const SymbolicTree&) = default;

 private:
  Tree profile_;
  std::vector<Symbol> symbols_;
};

struct SymbolicLayout {
  SymbolicTree shape;
  SymbolicTree stride;
  friend bool operator==(const SymbolicLayout&, const SymbolicLayout&) = default;
};

// The whole text is one such thing, without calls. Errors point at the column.
[[nodiscard]] SymbolicTree parse_symbolic_tree(std::string_view text);
[[nodiscard]] SymbolicLayout parse_symbolic_layout(std::string_view text);
[[nodiscard]] Result<SymbolicLayout> try_parse_symbolic_layout(std::string_view text);

// What parse_symbolic_... reads back; a divisor of 1 is not shown.
[[nodiscard]] std::string to_string(const SymbolicTree& tree);
[[nodiscard]] std::string to_string(const SymbolicLayout& layout);

// The symbols in order of appearance, each once, with the least common multiple of the divisors given for it.
[[nodiscard]] std::vector<Symbol> symbols_of(const SymbolicLayout& layout);

// For each leaf, in reading order, the largest number known to divide it: the amount of an integer (0 for 0), the
// divisor of a symbol.
struct Divisibility {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;
};
[[nodiscard]] Divisibility divisibility(const SymbolicLayout& layout);

// The largest n such that, whatever the symbols are, the offsets come in runs of n consecutive ones that start at
// multiples of n: the widest vector in elements. Law: it divides max_alignment(substitute(layout, values)).
[[nodiscard]] std::int64_t max_alignment(const SymbolicLayout& layout);

// The layout, tree or expression with values in place of the symbols, as dynamic integers. Refused, at the column, if
// a symbol has no value or one that its divisor does not divide.
[[nodiscard]] Tree substitute(const SymbolicTree& tree, const SymbolValues& values);
[[nodiscard]] Layout substitute(const SymbolicLayout& layout, const SymbolValues& values);
[[nodiscard]] Value substitute(std::string_view text, const SymbolValues& values, const Policy& policy = {});
[[nodiscard]] Result<Value> try_substitute(std::string_view text, const SymbolValues& values,
                                           const Policy& policy = {});

}  // namespace tileloom::layout
