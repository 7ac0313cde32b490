// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "tileloom/layout/composed.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::layout {

namespace {

void put(std::string& out, std::int64_t v) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, v);
  out.append(digits, end.ptr);
}

void put(std::string& out, TreeRef t) {
  if (t.is_tuple()) {
    out += '(';
    bool first = true;
    for (const TreeRef child : t) {
      if (!first) {
        out += ',';
      }
      first = false;
      put(out, child);
    }
    out += ')';
    return;
  }
  const Int& x = t.leaf();
  if (x.is_any()) {
    out += '_';
    return;
  }
  if (x.is_static()) {
    out += '_';
  }
  put(out, x.value);
  for (std::size_t i = x.basis_depth; i-- > 0;) {
    out += '@';
    put(out, x.basis[i]);
  }
}

}  // namespace

std::string to_string(TreeRef t) {
  std::string out;
  if (t.is_tuple()) {
    out.reserve(8 * t.node_count());
  }
  put(out, t);
  return out;
}

std::string to_string(LayoutRef layout) {
  std::string out;
  out.reserve(16 * layout.shape.node_count());
  put(out, layout.shape);
  out += ':';
  put(out, layout.stride);
  return out;
}

std::string to_string(const Swizzle& s) {
  return "Sw<" + std::to_string(s.bits()) + "," + std::to_string(s.base()) + "," + std::to_string(s.shift()) + ">";
}

std::string to_string(const Offset& o) {
  if (o.mixed == 0) {
    return to_string(Tree(o.value));
  }
  const auto value = static_cast<std::uint32_t>(o.value.value);
  return "M_" + std::to_string(value & ~o.mixed) + "|(" + std::to_string(value & o.mixed) + "&" +
         std::to_string(o.mixed) + ")=" + std::to_string(value);
}

std::string to_string(const ComposedLayout& l) {
  return to_string(l.swizzle()) + " o " + to_string(l.offset()) + " o " + to_string(l.layout());
}

std::string to_string(const AnyLayout& l) {
  return std::visit([](const auto& x) { return to_string(x); }, l);
}

std::string to_string(const Tiler& t) {
  if (t.is_layout()) {
    return to_string(t.layout());
  }
  if (!t.is_modes()) {
    return to_string(Tree(t.leaf()));
  }
  std::string out = "<";
  for (const Tiler& m : t.modes()) {
    out += (out.size() > 1 ? "," : "") + to_string(m);
  }
  return out + ">";
}

std::string to_string(const Pointer& p) {
  return p.space + "[" + std::to_string(p.bits) + "b](" + p.address + ")";
}

std::string to_string(const Tensor& t) {
  std::string out;
  if (const auto* p = std::get_if<Pointer>(&t.engine)) {
    out = to_string(*p);
  } else if (const auto* s = std::get_if<Tensor::SwizzledPointer>(&t.engine)) {
    out = to_string(s->swizzle) + (s->with_o ? " o " : "_") + to_string(s->pointer);
  } else {
    out = "ArithTuple" + to_string(std::get<Tree>(t.engine));
  }
  return out + " o " + to_string(t.layout);
}

}  // namespace tileloom::layout
