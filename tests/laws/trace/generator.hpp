// SPDX-License-Identifier: Apache-2.0
// Random tiled MMAs and the tensors that they work on.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <random>

#include "unit/trace/support.hpp"

namespace tileloom::trace::laws {

using namespace trace::test;  // NOLINT: tests

// One tiled MMA, in the text that reproduces it.
struct Configuration {
  std::string atom;
  Layout atom_layout;
  std::string permutation;  // a tiler
  std::array<std::int64_t, 3> tile{};
  std::array<std::string, 3> tensors;  // A, B, C

  [[nodiscard]] std::string text() const {
    return atom + " " + to_string(atom_layout) + " " + permutation + " A " + tensors[0] + " B " + tensors[1] + " C " +
           tensors[2];
  }
  [[nodiscard]] TiledMma mma(Semantics semantics) const {
    return TiledMma(hw::mma_atom(atom), atom_layout, layout::parse_tiler(permutation), semantics);
  }
  [[nodiscard]] AnyLayout tensor(Operand o) const { return any_layout(tensors[static_cast<std::size_t>(o)]); }
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n)); }
  template <class T>
  const T& one_of(const std::vector<T>& v) {
    return v[static_cast<std::size_t>(below(static_cast<std::int64_t>(v.size())))];
  }

  // Whole-byte operands in registers.
  Configuration configuration() {
    static const std::vector<const hw::MmaAtom*> atoms = [] {
      std::vector<const hw::MmaAtom*> v;
      for (const hw::MmaAtom& a : hw::mma_atoms()) {
        if (a.threads <= 32 && bits(a.a.type) >= 8) {
          v.push_back(&a);
        }
      }
      return v;
    }();
    const hw::MmaAtom& atom = *one_of(atoms);
    Configuration c;
    c.atom = atom.name;
    c.atom_layout = atom_layout();
    const std::array<std::int64_t, 3> sizes{atom.m, atom.n, atom.k};
    std::array<std::int64_t, 3> covered{};
    std::string separator = "<";
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t atoms_here = size(LayoutRef(c.atom_layout)[i]).value;
      std::int64_t reach = sizes[i] * atoms_here;
      c.permutation += separator + permutation(reach);
      covered[i] = reach;
      c.tile[i] = reach * (1 + below(2));
      separator = ",";
    }
    c.permutation += ">";
    c.tensors = {tensor(c.tile[0], c.tile[2]), tensor(c.tile[1], c.tile[2]), tensor(c.tile[0], c.tile[1])};
    return c;
  }

 private:
  static std::string fixed(std::int64_t v) { return "_" + std::to_string(v); }

  Layout atom_layout() {
    static const std::vector<std::string> shapes = {"(_1,_1,_1)", "(_2,_1,_1)", "(_1,_2,_1)", "(_2,_2,_1)",
                                                    "(_4,_1,_1)", "(_1,_2,_2)", "(_2,_4,_1)", "(_1,_1,_2)"};
    return make_layout(layout::parse_tree(one_of(shapes)), below(2) == 0 ? layout::Major::left : layout::Major::right);
  }

  // A tiler whose size, a multiple of `reach`, replaces it.
  std::string permutation(std::int64_t& reach) {
    switch (below(4)) {
      case 0:
        return "_";
      case 1:
        reach *= 2;
        return fixed(reach);
      case 2: {
        const std::int64_t half = reach;  // pairs of rows from the two halves of the tile
        reach *= 2;
        return "(_2," + fixed(half) + "):(" + fixed(half) + ",_1)";
      }
      default:
        return fixed(reach);
    }
  }

  std::string tensor(std::int64_t rows, std::int64_t columns) {
    const std::string shape = "(" + fixed(rows) + "," + fixed(columns) + ")";
    switch (below(4)) {
      case 0:
        return shape + ":(_1," + fixed(rows + 8 * below(2)) + ")";
      case 1:
        return shape + ":(" + std::to_string(columns + 8) + ",_1)";
      case 2:
        if (rows % 8 == 0 && columns % 32 == 0 && std::has_single_bit(static_cast<std::uint64_t>(rows * columns))) {
          return "tile_to_shape(Sw<" + std::to_string(1 + below(3)) + ",3,3> o _0 o (_8,_32):(_32,_1), " + shape + ")";
        }
        [[fallthrough]];
      default:
        return shape + ":(" + fixed(columns) + ",_1)";
    }
  }

  std::mt19937_64 engine_;
};

// TILELOOM_SEED repeats a run; otherwise `otherwise`.
inline std::uint64_t seed(std::uint64_t otherwise) {
  const char* text = std::getenv("TILELOOM_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace tileloom::trace::laws
