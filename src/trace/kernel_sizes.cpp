// SPDX-License-Identifier: Apache-2.0
#include "trace/kernel_sizes.hpp"

#include <algorithm>
#include <numeric>

#include "tileloom/error.hpp"
#include "tileloom/trace/kernel.hpp"
#include "trace/fields.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;
using layout::SymbolicLayout;
using layout::SymbolValues;
using layout::Tiler;
using layout::Tree;

namespace {

constexpr std::int64_t default_size = 4096;

constexpr std::array operands{Operand::a, Operand::b, Operand::c};

std::string name_of(Operand o) {
  return std::string("gmem.") + letter(o);
}

SymbolicLayout read_matrix(const std::string& field, const std::string& text) {
  SymbolicLayout l = in_field(field, [&] { return layout::parse_symbolic_layout(text); });
  if (l.shape.profile().rank() != 2) {
    throw Error(ErrorKind::bad_input, field + ": " + to_string(l) + ", expected a matrix: two modes",
                "for example (M,K):(K{div=8},_1)");
  }
  return l;
}

// What each symbol must be a multiple of: its divisors, and the tile where it is a mode of a matrix.
std::map<std::string, std::int64_t, std::less<>> multiples(const KernelConfig& config, const Matrices& m) {
  std::map<std::string, std::int64_t, std::less<>> all;
  const auto require = [&](const std::string& name, std::int64_t n) {
    std::int64_t& multiple = all.try_emplace(name, 1).first->second;
    multiple = std::lcm(multiple, n);
  };
  for (const Operand o : operands) {
    const auto& l = m.symbols.at(static_cast<std::size_t>(o));
    if (!l) {
      continue;
    }
    for (const layout::Symbol& s : symbols_of(*l)) {
      require(s.name, s.divisor);
    }
    const auto& modes = l->shape.symbols();
    const auto [i, j] = modes_of(o);
    if (modes.size() == 2) {
      for (const auto& [symbol, mode] : {std::pair(modes[0], i), {modes[1], j}}) {
        if (!symbol.name.empty()) {
          require(symbol.name, config.tile.at(mode));
        }
      }
    }
  }
  return all;
}

void check_known(const std::map<std::string, std::int64_t, std::less<>>& known, const SymbolValues& given) {
  for (const auto& [name, value] : given) {
    if (!known.contains(name)) {
      std::string all;
      for (const auto& [other, multiple] : known) {
        all += (all.empty() ? "" : ", ") + other;
      }
      throw Error(ErrorKind::bad_input, "size " + name + ": the configuration has no such symbol",
                  all.empty() ? "it has none" : "it has " + all);
    }
  }
}

AnyLayout cta_tile(const KernelConfig& config, Operand o, const AnyLayout& matrix) {
  const auto [i, j] = modes_of(o);
  const std::array<std::int64_t, 2> tile{config.tile.at(i), config.tile.at(j)};
  for (std::size_t mode = 0; mode < 2; ++mode) {
    const std::int64_t found = mode_size(matrix, mode);
    if (found % tile.at(mode) != 0) {
      throw Error(ErrorKind::bad_input,
                  name_of(o) + ": " + std::to_string(found) + " in mode " + std::to_string(mode) +
                      ", expected a multiple of the tile's " + std::to_string(tile.at(mode)),
                  "edges are the kernel's work; describe whole tiles here");
    }
  }
  const Int every = Int::make_any();
  const Int first = Int::make_dynamic(0);
  return local_tile(matrix, Tiler::from_tree(Tree::tuple({Int::make_static(tile[0]), Int::make_static(tile[1])})),
                    o == Operand::c ? Tree::tuple({first, first}) : Tree::tuple({first, every}))
      .layout;
}

}  // namespace

Matrices read_matrices(const KernelConfig& config, const SymbolValues& given) {
  Matrices m;
  for (const Operand o : operands) {
    const auto i = static_cast<std::size_t>(o);
    if (!config.gmem.at(i).empty()) {
      m.symbols.at(i) = read_matrix(name_of(o), config.gmem.at(i));
    }
  }
  const auto known = multiples(config, m);
  check_known(known, given);
  for (const auto& [name, multiple] : known) {
    const auto chosen = given.find(name);
    m.sizes[name] = chosen != given.end() ? chosen->second : (default_size + multiple - 1) / multiple * multiple;
  }
  for (const Operand o : operands) {
    const auto i = static_cast<std::size_t>(o);
    if (m.symbols.at(i)) {
      const AnyLayout matrix =
          in_field(name_of(o), [&] { return AnyLayout(layout::substitute(*m.symbols.at(i), m.sizes)); });
      m.layouts.at(i) = matrix;
      m.tiles.at(i) = cta_tile(config, o, matrix);
    }
  }
  return m;
}

}  // namespace tileloom::trace
