// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/query.hpp"

#include "tileloom/error.hpp"
#include "tileloom/trace/tiled_copy.hpp"
#include "tileloom/trace/tiled_mma.hpp"
#include "trace/fields.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::LayoutRef;
using layout::Policy;
using layout::Tree;

namespace {

constexpr std::array<int, 4> sampled_threads{0, 5, 17, 30};
constexpr std::array operands{Operand::a, Operand::b, Operand::c};

// The layout of an operand, whose first two modes are those of the tile.
AnyLayout read_operand(Operand operand, const Query& q, const Policy& policy) {
  const std::string name(1, letter(operand));
  const AnyLayout l = read_layout(name, operand == Operand::a ? q.a : operand == Operand::b ? q.b : q.c, policy);
  const auto [i, j] = modes_of(operand);
  const LayoutRef modes = domain(l);
  if (modes.rank() < 2 || size(modes[0]).value != q.tile[i] || size(modes[1]).value != q.tile[j]) {
    throw Error(ErrorKind::bad_input, name + ": " + to_string(l) + ", expected the tile's shape (" +
                                          std::to_string(q.tile[i]) + "," + std::to_string(q.tile[j]) + ")");
  }
  return l;
}

std::vector<Int> threads_of(const Int& count) {
  std::vector<Int> threads;
  for (const int t : sampled_threads) {
    if (t < count.value) {
      threads.push_back(Int::make_dynamic(t));
    }
  }
  return threads;
}

Answer describe_mma(const TiledMma& mma, const Query& q) {
  Answer out{{"threads", to_string(Tree(mma.threads()))},
             {"thr_layout_vmnk", to_string(mma.thr_layout_vmnk())},
             {"tile_size", to_string(mma.tile_size())}};
  std::vector<AnyLayout> tensors;
  for (const Operand o : operands) {
    tensors.push_back(read_operand(o, q, mma.policy()));
    out.emplace_back(std::string("layout") + letter(o) + "_TV", to_string(mma.layout_tv(o)));
  }
  Answer fragments;
  for (const Int& thread : threads_of(mma.threads())) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Operand o = operands[i];
      const AnyLayout part = mma.partition(o, tensors[i], thread).layout;
      out.emplace_back(std::string("partition_") + letter(o) + "@" + std::to_string(thread.value), to_string(part));
      if (fragments.size() < operands.size()) {
        fragments.emplace_back(std::string("fragment_") + letter(o), to_string(mma.make_fragment(o, part)));
      }
    }
  }
  out.insert(out.end(), fragments.begin(), fragments.end());
  return out;
}

Answer describe_copy(const TiledMma& mma, Operand operand, const Query& q) {
  const TiledCopy copy = tiled_copy_for(mma, operand, hw::copy_atom(q.copy_atom));
  const AnyLayout tensor = read_operand(operand, q, mma.policy());
  const bool load = operand != Operand::c;
  const End memory = load ? End::source : End::destination;
  const std::string name(1, letter(operand));
  Answer out{{"tiled_copy_TV", to_string(copy.layout_tv())},
             {"tiler", to_string(copy.tiler())},
             {"layoutS_TV", to_string(copy.layout_tv(End::source))},
             {"layoutD_TV", to_string(copy.layout_tv(End::destination))}};
  for (const Int& thread : threads_of(copy.threads())) {
    const AnyLayout part = copy.partition(memory, tensor, thread).layout;
    check_vectorizes(copy, memory, part, name);
    out.emplace_back((load ? "partition_S@" : "partition_D@") + std::to_string(thread.value), to_string(part));
  }
  const AnyLayout first = mma.partition(operand, tensor, Int::make_dynamic(0)).layout;
  const AnyLayout registers = copy.retile(mma.make_fragment(operand, first));
  check_vectorizes(copy, load ? End::destination : End::source, registers, name);
  out.emplace_back(load ? "retile_D" : "retile_S", to_string(registers));
  return out;
}

}  // namespace

Answer answer(const Query& q, const Policy& policy) {
  const TiledMma mma(hw::mma_atom(q.atom),
                     read_shape_or_layout("atom_layout", q.atom_layout, " of up to three modes", policy),
                     read_permutation("permutation", q.permutation, policy), policy);
  if (q.query == "tiled_mma") {
    return describe_mma(mma, q);
  }
  for (const Operand operand : operands) {
    if (q.query == std::string("tiled_copy_") + letter(operand)) {
      return describe_copy(mma, operand, q);
    }
  }
  throw Error(ErrorKind::bad_input,
              "query: expected tiled_mma, tiled_copy_A, tiled_copy_B or tiled_copy_C, found '" + q.query + "'");
}

}  // namespace tileloom::trace
