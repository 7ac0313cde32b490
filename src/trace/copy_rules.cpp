// SPDX-License-Identifier: Apache-2.0
// Which copies go with which tiles, and what to change where they do not.
#include <algorithm>
#include <optional>

#include "tileloom/error.hpp"
#include "tileloom/trace/tiled_copy.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::LayoutRef;

using layout::Semantics;
using layout::Tree;

namespace {

bool is_matrix(const hw::CopyAtom& atom) {
  return atom.kind == hw::CopyKind::ldmatrix || atom.kind == hw::CopyKind::stmatrix;
}

std::int64_t values_at_once(const hw::CopyAtom& atom, int value_bits) {
  return size(LayoutRef(upcast(atom.reference_bits, value_bits, Semantics::cute))[1]).value;
}

bool transposes(const hw::CopyAtom& atom) {
  return atom.name.ends_with("_T");
}

// The widest other atom of the same kind that moves a divisor of `values`; none if there is none.
const hw::CopyAtom* narrower(const hw::CopyAtom& atom, int value_bits, std::int64_t values) {
  const hw::CopyAtom* best = nullptr;
  for (const hw::CopyAtom& other : hw::copy_atoms()) {
    const bool alike = other.kind == atom.kind && transposes(other) == transposes(atom) &&
                       other.name.substr(0, other.name.find('<')) == atom.name.substr(0, atom.name.find('<'));
    const bool matrices = is_matrix(atom) && other.kind == atom.kind && transposes(other) == transposes(atom);
    if ((alike || matrices) && values_at_once(other, value_bits) > 0 &&
        values % values_at_once(other, value_bits) == 0 &&
        (best == nullptr || values_at_once(other, value_bits) > values_at_once(*best, value_bits))) {
      best = &other;
    }
  }
  return best;
}

[[noreturn]] void too_few_values(const TiledMma& mma, Operand operand, const hw::CopyAtom& atom, std::int64_t held,
                                 std::int64_t moved) {
  const std::size_t mode = operand == Operand::b ? 1 : 0;
  const std::string along(1, "MN"[mode]);
  std::int64_t factor = 2;
  while (held * factor % moved != 0) {
    ++factor;
  }
  const hw::CopyAtom* other = narrower(atom, bits(mma.operand(operand).type), held);
  throw Error(ErrorKind::bad_input,
              std::string("tiled copy ") + letter(operand) + ": " + atom.name + " moves " + std::to_string(moved) +
                  " values a thread, the tiled MMA holds " + std::to_string(held) + " a thread along " + along,
              (other != nullptr ? "use " + other->name + ", or give" : std::string("give")) +
                  " the MMA a permutation of at least " + std::to_string(mma.tile_size(mode).value * factor) + " in " +
                  along);
}

// --- Vectors -----------------------------------------------------------------------------------------------------

void with_static_ones(layout::TreeRef t, layout::TreeBuilder& out) {
  if (t.is_leaf()) {
    Int x = t.leaf();
    x = x == Int::make_dynamic(1) ? layout::static_1 : x;
    out.leaf(x);
    return;
  }
  out.open();
  for (const layout::TreeRef child : t) {
    with_static_ones(child, out);
  }
  out.close();
}

AnyLayout values_of_one_copy(const AnyLayout& partition) {
  return within(partition, [](const Layout& l) { return l[0].rank() == 2 ? l[0][0] : l[0]; });
}

// Do the values fall into whole units of `width` neighbours, as CuTe sees it?
bool falls_into_units(const AnyLayout& values, std::int64_t width) {
  const auto* swizzled = std::get_if<layout::ComposedLayout>(&values);
  if (swizzled != nullptr && swizzled->swizzle().bits() > 0 &&
      (std::int64_t{1} << swizzled->swizzle().base()) < width) {
    return false;
  }
  const layout::Result<Layout> units = try_upcast(domain(values), width, Semantics::cute);
  return units.ok() && size(units.value()).value * width == size(domain(values)).value;
}

// The same with every stride of 1 known statically.
AnyLayout with_static_ones(const AnyLayout& values) {
  return within(values, [](const Layout& l) {
    layout::TreeBuilder strides;
    with_static_ones(l.stride(), strides);
    return Layout(l.shape(), strides.take());
  });
}

// The most values that lie together everywhere.
std::int64_t longest_run(const AnyLayout& values, std::int64_t width) {
  while (width > 1 && !falls_into_units(values, width)) {
    width /= 2;
  }
  return width;
}

std::string how_to_vectorize(const TiledCopy& copy, End end, const AnyLayout& values, std::int64_t width) {
  if (falls_into_units(with_static_ones(values), width)) {
    return "a stride that is known only at run time does not count as contiguous: make the 1 static, _1";
  }
  const std::int64_t run = longest_run(values, width);
  const std::string together = std::to_string(width) + " together";
  if (!is_matrix(copy.atom())) {
    return "at most " + std::to_string(run) + (run == 1 ? " lies" : " lie") + " together: choose an instruction of " +
           std::to_string(run * copy.value_bits()) + " bits, or a layout or permutation that keeps " + together;
  }
  const bool load = copy.atom().kind == hw::CopyKind::ldmatrix;
  const hw::CopyAtom* other = nullptr;
  for (const hw::CopyAtom& atom : hw::copy_atoms()) {
    const bool sibling = atom.kind == copy.atom().kind && transposes(atom) != transposes(copy.atom()) &&
                         values_at_once(atom, copy.value_bits()) == values_at_once(copy.atom(), copy.value_bits());
    other = sibling ? &atom : other;
  }
  const std::string way_out = "choose a layout, swizzle or permutation that keeps " + together;
  return run == 1 && other != nullptr && load == (end == End::source)
             ? "if the other mode is the contiguous one, use " + other->name + "; else " + way_out
             : way_out;
}

}  // namespace

TiledCopy tiled_copy_for(const TiledMma& mma, Operand operand, const hw::CopyAtom& atom) {
  const auto [i, j] = modes_of(operand);
  const int value_bits = bits(mma.operand(operand).type);
  Layout tv = mma.layout_tv(operand);
  const std::int64_t held = size(LayoutRef(tv)[1]).value;
  const std::int64_t moved = values_at_once(atom, value_bits);
  if (held % moved != 0) {
    too_few_values(mma, operand, atom, held, moved);
  }
  return {atom, value_bits, std::move(tv), Tree::tuple({mma.tile_size(i), mma.tile_size(j)}), mma.policy()};
}

int unit_bits(const hw::CopyAtom& atom, End end, int value_bits) {
  if (is_matrix(atom)) {
    const bool registers = (atom.kind == hw::CopyKind::ldmatrix) == (end == End::destination);
    return registers ? 32 : 128;
  }
  if (atom.kind == hw::CopyKind::automatic) {
    return value_bits;
  }
  return static_cast<int>(size(LayoutRef(end == End::source ? atom.source_bits : atom.destination_bits)[1]).value);
}

void check_vectorizes(const TiledCopy& copy, End end, const AnyLayout& partition, const std::string& name,
                      int tensor_bits) {
  const AnyLayout values = values_of_one_copy(partition);
  const std::int64_t count = size(domain(values)).value;
  const hw::CopyAtom& atom = copy.atom();
  const Layout& of_atom = end == End::source ? atom.source_bits : atom.destination_bits;
  const std::int64_t taken = size(LayoutRef(of_atom)[1]).value;
  const std::string side = end == End::source ? "source" : "destination";
  if (atom.kind != hw::CopyKind::automatic && count * tensor_bits != taken) {
    throw Error(ErrorKind::bad_input,
                "tiled copy " + name + ": " + atom.name + " takes " + std::to_string(taken) + " bits at once, the " +
                    side + " has " + std::to_string(count) + (count == 1 ? " value of " : " values of ") +
                    std::to_string(tensor_bits) + " bits for it",
                tensor_bits == copy.value_bits()
                    ? "choose an instruction of at least " + std::to_string(tensor_bits) + " bits"
                    : "convert the " + side + " to " + std::to_string(copy.value_bits()) + "-bit values first");
  }
  const std::int64_t width = unit_bits(atom, end, copy.value_bits()) / tensor_bits;
  if (width > 1 && !falls_into_units(values, width)) {
    throw Error(ErrorKind::bad_input,
                "tiled copy " + name + ": " + atom.name + " needs " + std::to_string(width) +
                    " neighbouring values, the " + side + " has them at " + to_string(values),
                how_to_vectorize(copy, end, values, width));
  }
}

}  // namespace tileloom::trace
