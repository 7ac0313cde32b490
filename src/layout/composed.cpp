// SPDX-License-Identifier: Apache-2.0
#include "tileloom/layout/composed.hpp"

#include <bit>
#include <cstdlib>

#include "layout/engine.hpp"
#include "layout/fail.hpp"
#include "layout/laws.hpp"
#include "layout/policy.hpp"
#include "tileloom/layout/algebra.hpp"

namespace tileloom::layout {

Swizzle::Swizzle(int bits, int base, int shift) : bits_(bits), base_(base), shift_(shift) {
  const std::string text =
      "Sw<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) + ">";
  if (bits < 0 || base < 0) {
    fail(text + ": the number of bits and the base must not be negative");
  }
  if (bits > 31 || base > 31 || std::abs(shift) > 31 || bits + base + std::abs(shift) > 31) {
    fail(text + ": reaches bit " + std::to_string(static_cast<long>(bits) + base + std::abs(static_cast<long>(shift))) +
         ", swizzles stay below bit 31");
  }
  if (std::abs(shift) < bits) {
    fail(text + ": the shift must be at least the number of bits, or a bit would be combined with a changed one");
  }
}

std::int64_t Swizzle::yyy() const noexcept {
  return ((std::int64_t{1} << bits_) - 1) << (base_ + std::max(0, shift_));
}
std::int64_t Swizzle::zzz() const noexcept {
  return ((std::int64_t{1} << bits_) - 1) << (base_ - std::min(0, shift_));
}
std::int64_t Swizzle::operator()(std::int64_t offset) const noexcept {
  const std::int64_t source = offset & yyy();
  return offset ^ (shift_ >= 0 ? source >> shift_ : source << -shift_);
}

std::int64_t ComposedLayout::operator()(std::int64_t index) const {
  return swizzle_(checked_add(offset_.value.value, layout_(index)));
}

Tiler Tiler::from_tree(TreeRef shape) {
  if (shape.is_leaf()) {
    if (!shape.leaf().is_any()) {
      check_sizes(shape);
    }
    return shape.leaf();
  }
  std::vector<Tiler> modes;
  for (const TreeRef m : shape) {
    modes.push_back(from_tree(m));
  }
  return Tiler(std::move(modes));
}

const Layout& domain(const AnyLayout& a) {
  const auto* composed = std::get_if<ComposedLayout>(&a);
  return composed != nullptr ? composed->layout() : std::get<Layout>(a);
}

AnyLayout within(const AnyLayout& l, const std::function<Layout(const Layout&)>& f) {
  if (const auto* composed = std::get_if<ComposedLayout>(&l)) {
    Layout inner = f(composed->layout());
    if (composed->swizzle().bits() == 0 && composed->offset() == Offset{}) {
      return inner;
    }
    return ComposedLayout(composed->swizzle(), composed->offset(), std::move(inner));
  }
  return f(std::get<Layout>(l));
}

AnyLayout composition(const Swizzle& sw, const Layout& a) {
  if (sw.bits() == 0) {
    return a;
  }
  return ComposedLayout(sw, {}, a);
}

namespace {

// The swizzle with these source and target bits.
Swizzle swizzle_of_masks(std::uint64_t y, std::uint64_t z, const std::string& what) {
  const int shift = std::countr_zero(y) - std::countr_zero(z);
  const int bits = std::popcount(y);
  const int base = std::min(std::countr_zero(y), std::countr_zero(z));
  if (bits != std::popcount(z) || (bits != 0 && std::abs(shift) < bits) || (y >> 31) != 0 || (z >> 31) != 0) {
    fail(what + ": the source bits " + std::to_string(y) + " and the changed bits " + std::to_string(z) +
         " are not those of one swizzle");
  }
  if (bits == 0) {
    return {0, 0, 0};  // what CuTe makes of two empty masks is the identity as well
  }
  const Swizzle result(bits, base, shift);
  if (result.yyy() != static_cast<std::int64_t>(y) || result.zzz() != static_cast<std::int64_t>(z)) {
    fail(what + ": the source bits " + std::to_string(y) + " and the changed bits " + std::to_string(z) +
         " are not contiguous");
  }
  return result;
}

}  // namespace

Swizzle composition(const Swizzle& p, const Swizzle& q, const Policy& policy) {
  const std::string what = "composition of " + to_string(p) + " and " + to_string(q);
  if (p.shift() != q.shift()) {
    if (!is_cute(policy) && p.bits() == 0) {
      return q;
    }
    if (!is_cute(policy) && q.bits() == 0) {
      return p;
    }
    fail(what + ": the shifts " + std::to_string(p.shift()) + " and " + std::to_string(q.shift()) + " differ",
         "only swizzles of the same shift merge into one");
  }
  // If the bits that differ are those of one swizzle, p reads none that q changes: such a bit would be in both masks.
  return swizzle_of_masks(static_cast<std::uint64_t>(p.yyy() ^ q.yyy()), static_cast<std::uint64_t>(p.zzz() ^ q.zzz()),
                          what);
}

AnyLayout composition(const Layout& a, const Swizzle& sw, const Policy& policy) {
  const std::string what = "composition of " + to_string(a) + " and " + to_string(sw);
  const std::int64_t y = a(sw.yyy());
  const std::int64_t z = a(sw.zzz());
  if (y < 0 || z < 0) {
    fail(what + ": negative offsets have no swizzle");
  }
  const Swizzle moved = swizzle_of_masks(static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(z), what);
  AnyLayout r = composition(moved, a);
  if (!is_cute(policy)) {
    const std::int64_t n = size(a).value;
    if (n > enumeration_limit) {
      fail(what + ": too large to be checked");
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t want = a(sw(i));
      const std::int64_t got = moved(a(i));
      if (want != got) {
        fail(what + ": no swizzle after the layout does the same; at " + std::to_string(i) + " it needs A(" +
                 std::to_string(sw(i)) + ") = " + std::to_string(want) + ", but " + to_string(moved) + " gives " +
                 std::to_string(got),
             "CuTe returns " + to_string(r) + " here, which is wrong (--cute shows it)");
      }
    }
  }
  return r;
}

AnyLayout composition(const Layout& a, const ComposedLayout& b, const Policy& policy) {
  if (!(b.offset() == Offset{})) {
    fail("composition: " + to_string(b) + " has an offset, expected _0");
  }
  const AnyLayout left = composition(a, b.swizzle(), policy);
  return within(left, [&](const Layout& l) { return composition(l, b.layout(), policy); });
}

namespace {

template <class Inverse>
AnyLayout inverse_of(const char* what, const AnyLayout& a, const Policy& policy, const Inverse& inverse) {
  if (const auto* plain = std::get_if<Layout>(&a)) {
    return inverse(*plain);
  }
  const auto& composed = std::get<ComposedLayout>(a);
  if (!(composed.offset() == Offset{})) {
    fail(std::string(what) + ": " + to_string(composed) +
             " has an offset inside, so its inverse is not swizzle o layout",
         "take the inverse of the layout without the offset");
  }
  return composition(inverse(composed.layout()), composed.swizzle(), policy);
}

}  // namespace

AnyLayout right_inverse(const AnyLayout& a, const Policy& policy) {
  return inverse_of("right_inverse", a, policy, [&](const Layout& l) { return right_inverse(l, policy); });
}
AnyLayout left_inverse(const AnyLayout& a, const Policy& policy) {
  return inverse_of("left_inverse", a, policy, [&](const Layout& l) { return left_inverse(l, policy); });
}

Tree evaluate(const AnyLayout& a, TreeRef coord) {
  const Layout& inner = domain(a);
  Tree offset = crd2idx(coord, inner.shape(), inner.stride());
  const auto* composed = std::get_if<ComposedLayout>(&a);
  if (composed == nullptr) {
    return offset;
  }
  const Int& shift = composed->offset().value;
  if (offset.is_tuple()) {
    fail("evaluate: " + to_string(*composed) + " swizzles coordinates, expected integers");
  }
  Int sum = add(shift, offset.leaf());
  sum.value = composed->swizzle()(sum.value);
  return sum;
}

// --- Recasts -----------------------------------------------------------------------------------------------------

namespace {
int log2_of(const char* what, std::int64_t factor) {
  if (factor < 1 || !std::has_single_bit(static_cast<std::uint64_t>(factor))) {
    fail(std::string(what) + ": the factor " + std::to_string(factor) + " is not a power of two, as swizzles need");
  }
  return std::countr_zero(static_cast<std::uint64_t>(factor));
}
}  // namespace

Swizzle upcast(const Swizzle& sw, std::int64_t factor) {
  const int base = sw.base() - log2_of("upcast", factor);
  return base >= 0 ? Swizzle(sw.bits(), base, sw.shift()) : Swizzle(std::max(sw.bits() + base, 0), 0, sw.shift());
}
Swizzle downcast(const Swizzle& sw, std::int64_t factor) {
  return {sw.bits(), sw.base() + log2_of("downcast", factor), sw.shift()};
}

namespace {
AnyLayout recomposed(const Swizzle& sw, const Offset& offset, Layout l) {
  if (sw.bits() == 0 && offset == Offset{}) {
    return l;
  }
  return ComposedLayout(sw, offset, std::move(l));
}
}  // namespace

AnyLayout upcast(const AnyLayout& a, std::int64_t factor, const Policy& policy) {
  const auto* c = std::get_if<ComposedLayout>(&a);
  if (c == nullptr) {
    return upcast(std::get<Layout>(a), factor, policy);
  }
  Offset offset = c->offset();
  if (offset.value.value % factor != 0) {
    fail("upcast: the offset " + to_string(offset) + " is not a multiple of " + std::to_string(factor));
  }
  offset.value = div(offset.value, Int::make_static(factor));
  offset.mixed = static_cast<std::uint32_t>(offset.mixed / static_cast<std::uint64_t>(factor));
  return recomposed(upcast(c->swizzle(), factor), offset, upcast(c->layout(), factor, policy));
}

AnyLayout downcast(const AnyLayout& a, std::int64_t factor, const Policy& policy) {
  const auto* c = std::get_if<ComposedLayout>(&a);
  if (c == nullptr) {
    return downcast(std::get<Layout>(a), factor, policy);
  }
  Offset offset = c->offset();
  offset.value = mul(offset.value, Int::make_static(factor));
  offset.mixed = static_cast<std::uint32_t>(offset.mixed * static_cast<std::uint64_t>(factor));
  return recomposed(downcast(c->swizzle(), factor), offset, downcast(c->layout(), factor, policy));
}

Int max_alignment(const AnyLayout& a, const Policy& policy) {
  const auto* c = std::get_if<ComposedLayout>(&a);
  if (c == nullptr) {
    return max_alignment(std::get<Layout>(a), policy);
  }
  const Offset& o = c->offset();
  Int of_offset = o.value;
  if (o.mixed != 0) {
    const std::uint32_t known = static_cast<std::uint32_t>(o.value.value) & ~o.mixed;
    of_offset = Int::make_static(std::int64_t{1} << std::countr_zero(known | o.mixed));
  } else if (!o.value.is_static() && is_cute(policy)) {
    fail("max_alignment: CuTe needs a static offset, found " + to_string(o));
  }
  return gcd(gcd(Int::make_static(std::int64_t{1} << c->swizzle().base()), of_offset),
             max_alignment(c->layout(), policy));
}

Int max_common_vector(const AnyLayout& a, const AnyLayout& b, const Policy& policy) {
  Int common = max_common_vector(domain(a), domain(b), policy);
  const auto* x = std::get_if<ComposedLayout>(&a);
  const auto* y = std::get_if<ComposedLayout>(&b);
  if (x != nullptr && y != nullptr && x->swizzle() == y->swizzle()) {
    return common;
  }
  for (const auto* c : {x, y}) {
    if (c != nullptr) {
      common = min(common, Int::make_static(std::int64_t{1} << c->swizzle().base()));
    }
  }
  return common;
}

AnyLayout max_common_layout(const AnyLayout& a, const AnyLayout& b, const Policy& policy) {
  const bool swapped = std::holds_alternative<ComposedLayout>(b);
  const auto* c = std::get_if<ComposedLayout>(swapped ? &b : &a);
  const Layout& plain = domain(swapped ? a : b);
  if (swapped && std::holds_alternative<ComposedLayout>(a)) {
    fail("max_common_layout: both layouts are swizzled, expected at most one");
  }
  const Layout common = max_common_layout(domain(swapped ? b : a), plain, policy);
  const std::int64_t unit = c == nullptr ? 0 : std::int64_t{1} << c->swizzle().base();
  if (c != nullptr && unit < size(common).value) {
    return composition(common, Tiler(Int::make_static(unit)), policy);
  }
  return common;
}

}  // namespace tileloom::layout
