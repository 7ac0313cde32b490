// SPDX-License-Identifier: Apache-2.0
#include "layout/tensors.hpp"

#include <array>
#include <charconv>

#include "layout/coordinate.hpp"
#include "layout/fail.hpp"

namespace tileloom::layout {

Value to_value(AnyLayout l) {
  return std::visit([](auto& x) -> Value { return std::move(x); }, l);
}

namespace {
void based_terms(TreeRef t, TreeRef bases, TreeBuilder& b) {
  const Int* e = bases.nodes();
  for (const Int* p = t.nodes(); p != t.nodes() + t.node_count(); ++p, ++e) {
    if (!p->is_tuple()) {
      b.leaf(mul(*p, *e));
    }
  }
}
}  // namespace

Tree sum_of_coordinates(const Tree& a, const Tree& b) {
  if (b.is_leaf() && !b.leaf().has_basis()) {
    if (b.leaf().value != 0) {
      fail("a coordinate tensor moved by the integer " + to_string(b));
    }
    return a;
  }
  TreeBuilder terms;
  terms.open();
  based_terms(a, make_basis_like(a), terms);
  if (b.is_leaf()) {
    terms.leaf(b.leaf());
  } else {
    based_terms(b, make_basis_like(b), terms);
  }
  terms.close();
  return arithmetic_sum(terms.take());
}

namespace {
void advance(Pointer& p, const Tree& offset) {
  if (offset.is_tuple()) {
    fail("a pointer moved by the coordinate " + to_string(offset));
  }
  const std::int64_t bits = checked_mul(offset.leaf().value, p.bits);
  if (bits == 0) {
    return;
  }
  std::uint64_t address = 0;
  const bool hex = p.address.starts_with("0x");
  const char* first = p.address.data() + (hex ? 2 : 0);
  const char* last = p.address.data() + p.address.size();
  const auto parsed = std::from_chars(first, last, address, 16);
  if (!hex || parsed.ec != std::errc() || parsed.ptr != last || bits % 8 != 0) {
    fail("the pointer " + to_string(p) + " cannot be moved by " + std::to_string(bits) + " bits",
         "an address that moves is written in hexadecimal, 0x...");
  }
  std::array<char, 20> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), address + static_cast<std::uint64_t>(bits / 8), 16);
  p.address = "0x" + std::string(text.data(), end.ptr);
}
}  // namespace

Value cut(const Arguments& a, std::size_t i, const std::function<Sliced(const AnyLayout&)>& f) {
  Sliced s = f(a.any_layout(i));
  if (!a.is<Tensor>(i)) {
    return to_value(std::move(s.layout));
  }
  Tensor t = std::get<Tensor>(a[i]);
  if (auto* p = std::get_if<Pointer>(&t.engine)) {
    advance(*p, s.offset);
  } else if (auto* sp = std::get_if<Tensor::SwizzledPointer>(&t.engine)) {
    advance(sp->pointer, s.offset);
  } else {
    t.engine = sum_of_coordinates(std::get<Tree>(t.engine), s.offset);
  }
  t.layout = std::move(s.layout);
  return t;
}

Value inside(const Arguments& a, std::size_t i, const std::function<Layout(const Layout&)>& f) {
  AnyLayout l = within(a.any_layout(i), f);
  if (a.is<Tensor>(i)) {
    Tensor t = std::get<Tensor>(a[i]);
    t.layout = std::move(l);
    return t;
  }
  return to_value(std::move(l));
}

}  // namespace tileloom::layout
