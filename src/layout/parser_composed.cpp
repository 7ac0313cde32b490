// SPDX-License-Identifier: Apache-2.0
// Tilers, swizzles and what they are composed with, pointers.
#include <algorithm>
#include <array>

#include "layout/parser.hpp"

namespace tileloom::layout {

Tiler Parser::tiler() {
  if (!accept('<')) {
    Value v = expression();
    if (auto* l = std::get_if<Layout>(&v)) {
      return std::move(*l);
    }
    if (auto* t = std::get_if<Tree>(&v)) {
      return Tiler::from_tree(*t);
    }
    unexpected("a tiler: sizes, layouts or '_'");
  }
  if (++depth_ > max_depth) {
    error_at(at_ - 1, "tilers nested deeper than " + std::to_string(max_depth));
  }
  std::vector<Tiler> modes;
  if (!accept('>')) {
    do {
      modes.push_back(tiler());
    } while (accept(','));
    expect('>');
  }
  --depth_;
  return Tiler(std::move(modes));
}

Swizzle Parser::swizzle() {
  const std::size_t start = at_;
  at_ += 2;  // Sw
  expect('<');
  std::array<int, 3> p{};
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (i > 0) {
      expect(',');
    }
    const bool negative = accept('-');
    skip_space();
    const std::int64_t v = digits();
    p[i] = static_cast<int>(std::min<std::int64_t>(v, 1000)) * (negative ? -1 : 1);
  }
  expect('>');
  try {
    return {p[0], p[1], p[2]};
  } catch (const Error& e) {
    error_at(start, e.what());
  }
}

Offset Parser::offset() {
  if (peek() != 'M') {
    const std::size_t start = at_;
    const Tree t = tree();
    if (t.is_tuple() || !t.leaf().is_integer() || t.leaf().has_basis()) {
      error_at(start, "the offset of a swizzled layout is an integer");
    }
    return {t.leaf(), 0};
  }
  const std::size_t start = at_;
  const auto bits = [&] {
    skip_space();
    const std::int64_t v = digits();
    if (v > 0xffffffffLL) {
      error_at(start, "mixed bits hold 32 bits");
    }
    return static_cast<std::uint32_t>(v);
  };
  ++at_;
  expect('_');
  const std::uint32_t fixed = bits();
  expect('|');
  expect('(');
  const std::uint32_t dynamic = bits();
  expect('&');
  const std::uint32_t mask = bits();
  expect(')');
  expect('=');
  const std::uint32_t value = bits();
  if (mask == 0 || (fixed & mask) != 0 || (dynamic & ~mask) != 0 || value != (fixed | dynamic)) {
    error_at(start, "mixed bits that contradict each other");
  }
  return {Int::make_dynamic(value), mask};
}

AnyLayout Parser::layout_after_o() {
  skip_space();
  const std::size_t start = at_;
  if (++depth_ > max_depth) {
    error_at(start, "layouts composed deeper than " + std::to_string(max_depth));
  }
  Value v = expression();
  --depth_;
  if (auto* l = std::get_if<Layout>(&v)) {
    return std::move(*l);
  }
  if (auto* c = std::get_if<ComposedLayout>(&v)) {
    return std::move(*c);
  }
  error_at(start, "expected a layout, found " + kind_of(v));
}

Value Parser::swizzled() {
  const Swizzle sw = swizzle();
  const bool o = accept_o();
  if (!o && !(peek() == '_' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]))) {
    return sw;
  }
  if (!o) {
    ++at_;
  }
  if (is_letter(peek()) && peek() != 'M') {
    const std::string_view space = word();
    Tensor::SwizzledPointer engine{sw, pointer(space), o};
    if (!accept_o()) {
      unexpected("'o' and a layout");
    }
    return Tensor{std::move(engine), layout_after_o()};
  }
  const Offset shift = offset();
  if (!accept_o()) {
    unexpected("'o' and a layout");
  }
  const std::size_t start = at_;
  AnyLayout inner = layout_after_o();
  if (auto* l = std::get_if<Layout>(&inner)) {
    return ComposedLayout(sw, shift, std::move(*l));
  }
  error_at(start, "a swizzle of a swizzled layout");
}

Pointer Parser::pointer(std::string_view space) {
  Pointer p;
  p.space = std::string(space);
  if (space != "gmem_ptr" && space != "smem_ptr" && space != "rmem_ptr" && space != "ptr") {
    error_at(at_ - space.size(), "unknown pointer '" + p.space + "', expected gmem_ptr, smem_ptr, rmem_ptr or ptr");
  }
  expect('[');
  skip_space();
  const std::int64_t bits = digits();
  if (bits < 1 || bits > 4096) {
    error_at(at_, "an element has 1 to 4096 bits");
  }
  p.bits = static_cast<int>(bits);
  expect('b');
  expect(']');
  expect('(');
  const std::size_t close = text_.find(')', at_);
  if (close == std::string_view::npos) {
    at_ = text_.size();
    unexpected("')'");
  }
  p.address = std::string(text_.substr(at_, close - at_));
  at_ = close + 1;
  return p;
}

Value Parser::pointer_or_tensor(std::string_view space) {
  Pointer p = pointer(space);
  if (!accept_o()) {
    return p;
  }
  return Tensor{std::move(p), layout_after_o()};
}

}  // namespace tileloom::layout
