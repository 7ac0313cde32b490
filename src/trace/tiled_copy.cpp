// SPDX-License-Identifier: Apache-2.0
#include "tileloom/trace/tiled_copy.hpp"

#include "tileloom/error.hpp"
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

Tiler first_mode(Layout l) {
  return Tiler(std::vector<Tiler>{std::move(l), Int::make_any()});
}

// The copied block counted in values instead of bits. CuTe refuses, as here, where a value is in pieces of two threads.
Layout in_values(const hw::CopyAtom& atom, const Layout& in_bits, int value_bits, const Policy& policy) {
  Layout l = upcast(in_bits, value_bits, policy);
  if (size(LayoutRef(l)[0]).value != size(atom.thread_id).value) {
    throw Error(ErrorKind::bad_input,
                "tiled copy: " + atom.name + " takes values of " + std::to_string(value_bits) + " bits apart",
                "it keeps " + std::to_string(atom.unit_bits) + " bits together; choose another instruction");
  }
  return l;
}

void check_multiple(const Int& tiled, const Int& atom, const std::string& name, const std::string& what) {
  if (tiled.value % atom.value != 0) {
    throw Error(ErrorKind::bad_input, "tiled copy: " + name + " works on " + std::to_string(atom.value) + " " + what +
                                          " at once, the tile has " + std::to_string(tiled.value));
  }
}

// Shape over `layout`'s domain.
Layout with_shape(const Layout& l, const Tree& shape, const Policy& policy) {
  return composition(l, make_layout(shape), policy);
}

}  // namespace

TiledCopy::TiledCopy(const hw::CopyAtom& atom, int value_bits, Layout tv, Tree tiler, const Policy& policy)
    : atom_(&atom),
      value_bits_(value_bits),
      tv_(std::move(tv)),
      tiler_(std::move(tiler)),
      policy_(policy),
      source_(in_values(atom, atom.source_bits, value_bits, policy)),
      destination_(in_values(atom, atom.destination_bits, value_bits, policy)),
      reference_(in_values(atom, atom.reference_bits, value_bits, policy)) {
  const LayoutRef reference = reference_;
  check_multiple(threads(), size(reference[0]), atom.name, "threads");
  check_multiple(size(LayoutRef(tv_)[1]), size(reference[1]), atom.name, "values");
}

Int TiledCopy::threads() const {
  return size(LayoutRef(tv_)[0]);
}

// `tiled` is ((tile), (rest)); the result is (thread, (values of one copy, copies), (rest)).
Layout TiledCopy::divide_among_threads(const Layout& tiled, End end) const {
  const LayoutRef reference = reference_;
  const Layout to_reference =
      composition(right_inverse(reference_, policy_), end == End::source ? source_ : destination_, policy_);
  const Tree atom_shape = Tree::tuple({size(reference[0]), size(reference[1])});
  const Layout atoms = zipped_divide(tv_, Tiler::from_tree(atom_shape), policy_);  // ((thread, value), (rest, rest))
  const Layout moved = composition(atoms, first_mode(to_reference), policy_);
  const Tree profile = Tree::tuple({layout::static_1, Tree::tuple({layout::static_1, layout::static_1})});
  const Layout elements = coalesce(zip(moved), profile);  // ((thread, rest), (value, rest)) -> element of the tile
  const Layout parts = composition(tiled, first_mode(elements), policy_);
  return slice(Tree::tuple({wildcards(2), Int::make_any()}), parts);
}

Layout TiledCopy::layout_tv(End end) const {
  const Layout tile = make_layout(Tree::tuple({tiler_, layout::static_1}));
  return slice(Tree::tuple({Int::make_any(), Int::make_any(), layout::static_0}), divide_among_threads(tile, end));
}

AnyLayout TiledCopy::thread_fragments(End end, const AnyLayout& tensor) const {
  const std::size_t rank = domain(tensor).rank();
  if (rank < tiler_.rank()) {
    throw Error(ErrorKind::bad_input, "partition: " + to_string(tensor) + " has " + std::to_string(rank) +
                                          " modes, the tiled copy's tile " + to_string(tiler_) + " has " +
                                          std::to_string(tiler_.rank()));
  }
  return within(tensor, [&](const Layout& l) {
    return divide_among_threads(zipped_divide(l, Tiler::from_tree(tiler_), policy_), end);
  });
}

Sliced TiledCopy::partition(End end, const AnyLayout& tensor, const Int& thread) const {
  if (thread.value < 0 || thread.value >= threads().value) {
    throw Error(ErrorKind::bad_input, "partition: thread " + std::to_string(thread.value) + ", expected 0 to " +
                                          std::to_string(threads().value - 1));
  }
  const AnyLayout parts = thread_fragments(end, tensor);
  const Tree rest = wildcards(domain(tensor).rank());
  return slice_and_offset(Tree::tuple({thread, Int::make_any(), rest}), parts, policy_);
}

AnyLayout TiledCopy::retile(const AnyLayout& fragment) const {
  const Layout& given = domain(fragment);
  const Int values = size(LayoutRef(given)[0]);
  // Which value of the MMA's first mode each element of the tile is in, and in what order.
  const Layout of_tile = with_shape(right_inverse(tv_, policy_), tiler_, policy_);
  const Layout order = upcast(of_tile, mul(threads(), values).value, policy_);
  const Layout all = logical_product(make_layout(Tree(values)), right_inverse(order, policy_), policy_);
  const Layout by_copy = zipped_divide(all, make_layout(Tree(size(LayoutRef(reference_)[1]))), policy_);
  const Tree tile = prepend(product_each(order.shape()), Tree(values), order.rank() + 1);
  TreeBuilder coord;
  coord.open();
  coord.leaf(Int::make_any());
  coord.append(layout::append(Tree(layout::static_0), Tree(Int::make_any()), given.rank()));
  coord.close();
  const Tree at = coord.take();
  return within(fragment, [&](const Layout& l) {
    const Layout tiled = zipped_divide(l, Tiler::from_tree(tile), policy_);
    return slice(at, composition(tiled, first_mode(by_copy), policy_));
  });
}

TiledCopy make_tiled_copy(const hw::CopyAtom& atom, int value_bits, const Layout& threads, const Layout& values,
                          const Policy& policy) {
  const Layout of_tile = raked_product(threads, values, policy);
  const Tree tv_shape = Tree::tuple({size(threads), size(values)});
  return {atom, value_bits, with_shape(right_inverse(of_tile, policy), tv_shape, policy), product_each(of_tile.shape()),
          policy};
}

}  // namespace tileloom::trace
