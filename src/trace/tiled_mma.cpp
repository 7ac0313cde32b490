// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/tiled_mma.hpp"

#include "tileloom/error.hpp"
#include "tileloom/layout/text.hpp"
#include "trace/coordinates.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::LayoutRef;
using layout::Policy;
using layout::Sliced;
using layout::Tiler;
using layout::Tree;
using layout::TreeBuilder;

namespace {

constexpr char mode_letters[] = "MNK";

Tiler any() {
  return Int::make_any();
}

Tiler pair(Tiler first, Tiler second) {
  return Tiler(std::vector<Tiler>{std::move(first), std::move(second)});
}

Layout contiguous(const Int& size) {
  return make_layout(Tree(size));
}

Int tiler_size(const Tiler& tiler) {
  return tiler.is_layout() ? size(tiler.layout()) : tiler.leaf();
}

std::vector<Tiler> three_modes(const Tiler& permutation) {
  if (permutation.keeps_mode()) {
    return {any(), any(), any()};
  }
  if (!permutation.is_modes() || permutation.modes().size() > 3) {
    throw Error(ErrorKind::bad_input,
                "tiled MMA: permutation " + to_string(permutation) + ", expected up to three tilers for M, N and K",
                "for example <_32,_32,_16>");
  }
  std::vector<Tiler> modes = permutation.modes();
  for (const Tiler& mode : modes) {
    if (mode.is_modes()) {
      throw Error(ErrorKind::bad_input, "tiled MMA: permutation " + to_string(permutation) +
                                            ", expected a size, a layout or _ for each of M, N and K");
    }
  }
  modes.resize(3, any());
  return modes;
}

}  // namespace

char letter(Operand operand) {
  return "ABC"[static_cast<int>(operand)];
}

OperandModes modes_of(Operand operand) {
  switch (operand) {
    case Operand::a:
      return {0, 2};
    case Operand::b:
      return {1, 2};
    case Operand::c:
      break;
  }
  return {0, 1};
}

TiledMma::TiledMma(const hw::MmaAtom& atom, const Layout& atom_layout, const Tiler& permutation, const Policy& policy)
    : atom_(&atom), policy_(policy), permutation_(three_modes(permutation)) {
  if (atom_layout.rank() > 3) {
    throw Error(ErrorKind::bad_input,
                "tiled MMA: atom layout " + to_string(atom_layout) + ", expected up to three modes, (M,N,K)");
  }
  const Layout mnk = append(atom_layout, 3);
  if (!is_injective(mnk)) {
    throw Error(ErrorKind::bad_input,
                "tiled MMA: the atoms of " + to_string(atom_layout) + " do not all have threads of their own",
                "give the atom layout distinct offsets, for example " + to_string(make_layout(mnk.shape())));
  }
  threads_ = tiled_product(atom.thread_id, mnk, policy_);
  if (policy_.semantics == layout::Semantics::correct) {
    check_permutation();
  }
}

void TiledMma::check_permutation() const {
  for (std::size_t i = 0; i < 3; ++i) {
    const Tiler mode = permutation(i);
    if (mode.is_layout() && !is_bijective(mode.layout())) {
      throw Error(ErrorKind::bad_input,
                  std::string("tiled MMA: the permutation ") + to_string(mode) + " in " + mode_letters[i] +
                      " does not meet each of its " + std::to_string(tile_size(i).value) + " places once",
                  "give a rearrangement of 0 to " + std::to_string(tile_size(i).value - 1) + ", or a size");
    }
    const std::int64_t atoms = size(LayoutRef(threads_)[i + 1]).value;
    const std::int64_t covered = atom_size(i).value * atoms;
    if (tile_size(i).value % covered != 0) {
      throw Error(ErrorKind::bad_input,
                  std::string("tiled MMA: the permutation has ") + std::to_string(tile_size(i).value) + " in " +
                      mode_letters[i] + ", expected a multiple of the " + std::to_string(covered) + " of " +
                      std::to_string(atoms) + (atoms == 1 ? " atom of " : " atoms of ") + atom_->name,
                  "give a multiple, or _ for exactly that");
    }
  }
}

const hw::MmaOperand& TiledMma::operand(Operand operand) const noexcept {
  return operand == Operand::a ? atom_->a : operand == Operand::b ? atom_->b : atom_->c;
}

Layout TiledMma::atom_tv(Operand operand) const {
  const hw::MmaOperand& o = this->operand(operand);
  const bool as_cute = policy_.semantics == layout::Semantics::cute && !o.cute_tv.empty();
  return as_cute ? layout::parse_layout(o.cute_tv) : o.tv;
}

Int TiledMma::atom_size(std::size_t mode) const {
  return Int::make_static(mode == 0 ? atom_->m : mode == 1 ? atom_->n : atom_->k);
}

Int TiledMma::threads() const {
  return size(threads_);
}

// The threads, and the gaps between them as another mode.
Layout TiledMma::with_gaps() const {
  return layout::make_layout({threads_, complement(threads_, policy_)});
}

Int TiledMma::lanes() const {
  return size(with_gaps());
}

Tiler TiledMma::permutation(std::size_t mode) const {
  const Tiler& given = permutation_.at(mode);
  return given.keeps_mode() ? Tiler(mul(atom_size(mode), size(LayoutRef(threads_)[mode + 1]))) : given;
}

Int TiledMma::tile_size(std::size_t mode) const {
  return tiler_size(permutation(mode));
}

Tree TiledMma::tile_size() const {
  return Tree::tuple({tile_size(0), tile_size(1), tile_size(2)});
}

Layout TiledMma::divide_among_threads(Operand operand, const Layout& tensor) const {
  const auto [i, j] = modes_of(operand);
  const LayoutRef threads = threads_;
  const Layout permuted = logical_divide(tensor, pair(permutation(i), permutation(j)), policy_);
  const Layout atoms =  // ((atom), (rest))
      zipped_divide(permuted, pair(contiguous(atom_size(i)), contiguous(atom_size(j))), policy_);
  const Layout values =  // ((thread, value), (rest))
      composition(atoms, pair(atom_tv(operand), any()), policy_);
  return zipped_divide(values, pair(any(), pair(contiguous(size(threads[i + 1])), contiguous(size(threads[j + 1])))),
                       policy_);
}

void TiledMma::check_divisible(Operand operand, const Layout& tensor) const {
  const auto [i, j] = modes_of(operand);
  for (const auto& [mode, of_tensor] : {std::pair(i, 0), {j, 1}}) {
    const std::int64_t found = size(LayoutRef(tensor)[static_cast<std::size_t>(of_tensor)]).value;
    const std::int64_t tile = tile_size(mode).value;
    if (found % tile != 0) {
      throw Error(ErrorKind::bad_input,
                  std::string("partition of ") + letter(operand) + ": " + std::to_string(found) + " in " +
                      mode_letters[mode] + ", expected a multiple of the tiled MMA's " + std::to_string(tile),
                  "pad the tile, or let the tiled MMA cover less; CuTe goes past the end here (--cute shows it)");
    }
  }
}

AnyLayout TiledMma::thread_fragments(Operand operand, const AnyLayout& tensor) const {
  if (domain(tensor).rank() < 2) {
    throw Error(ErrorKind::bad_input, std::string("partition of ") + letter(operand) + ": " + to_string(tensor) +
                                          " has one mode, expected two");
  }
  if (policy_.semantics == layout::Semantics::correct) {
    check_divisible(operand, domain(tensor));
  }
  return within(tensor, [&](const Layout& l) { return divide_among_threads(operand, l); });
}

// The thread mode (thread of an atom, (atoms in the operand's two modes)) becomes (thread, atoms in M, N, K): the atoms
// of the mode that the operand lacks hold the same elements.
Layout TiledMma::repeat_over_threads(Operand operand, const Layout& fragments) const {
  const LayoutRef threads = threads_;
  const auto project = [&](std::size_t first, bool keeps_first) {
    return Layout(Tree::tuple({size(threads[first]), size(threads[first + 1])}),
                  Tree::tuple({Int::make_static(keeps_first ? 1 : 0), Int::make_static(keeps_first ? 0 : 1)}));
  };
  if (operand != Operand::c) {
    return composition(fragments, pair(pair(any(), pair(project(1, operand == Operand::a), any())), any()), policy_);
  }
  if (size(threads[3]).value == 1) {
    return fragments;
  }
  if (policy_.semantics == layout::Semantics::cute) {
    return fragments;  // CuTe has no such step for C, so its layout runs past the tile
  }
  if (policy_.log != nullptr) {
    policy_.log->notes.push_back("the layout of C repeats the tile for the atoms in K; CuTe's runs past the tile");
  }
  return composition(fragments, pair(pair(any(), pair(any(), project(2, true))), any()), policy_);
}

Layout TiledMma::layout_tv(Operand operand) const {
  const auto [i, j] = modes_of(operand);
  const Layout tile = make_layout(Tree::tuple({tile_size(i), tile_size(j)}));
  const Layout fragments = repeat_over_threads(operand, divide_among_threads(operand, tile));
  const Layout thread_index(Tree::tuple({size(threads_), layout::static_1}),
                            Tree::tuple({layout::static_1, layout::static_0}));
  const Layout position = composition(thread_index, right_inverse(with_gaps(), policy_), policy_);
  return composition(fragments, pair(position, any()), policy_);
}

Tree TiledMma::thread_coordinate(const Int& thread) const {
  return flat_coordinate(threads_, thread);
}

Sliced TiledMma::partition(Operand operand, const AnyLayout& tensor, const Int& thread) const {
  if (thread.value < 0 || thread.value >= lanes().value) {
    throw Error(ErrorKind::bad_input, std::string("partition of ") + letter(operand) + ": thread " +
                                          std::to_string(thread.value) + ", expected 0 to " +
                                          std::to_string(lanes().value - 1));
  }
  const AnyLayout fragments = thread_fragments(operand, tensor);
  const auto [i, j] = modes_of(operand);
  const Tree at = thread_coordinate(thread);
  TreeBuilder coord;
  coord.open();
  coord.append(Tree::tuple({Tree(at[0]), Tree::tuple({Tree(at[i + 1]), Tree(at[j + 1])})}));
  coord.append(Tree::tuple({Int::make_any(), wildcards(domain(fragments).shape()[1][1].rank())}));
  coord.close();
  return slice_and_offset(coord.take(), fragments, policy_);
}

Layout TiledMma::make_fragment(Operand operand, const AnyLayout& partition) const {
  const hw::MmaOperand& o = this->operand(operand);
  const Layout& layout = domain(partition);
  const std::int64_t values = size(LayoutRef(atom_tv(operand))[1]).value;
  if (layout.rank() < 3 || size(LayoutRef(layout)[0]).value != values) {
    throw Error(ErrorKind::bad_input, std::string("fragment of ") + letter(operand) + ": " + to_string(partition) +
                                          " is no partition: its first mode does not have the atom's " +
                                          std::to_string(values) + " values");
  }
  if (o.holder == hw::Holder::shared_descriptor) {
    throw Error(ErrorKind::bad_input,
                std::string("fragment of ") + letter(operand) + ": " + atom_->name + " reads it from shared memory",
                "its fragment is a descriptor of the shared tile, no registers");
  }
  return operand == Operand::c ? make_layout(layout.shape()) : make_fragment_like(layout, policy_);
}

}  // namespace tileloom::trace
