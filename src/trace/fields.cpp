// SPDX-License-Identifier: Apache-2.0
#include "trace/fields.hpp"

namespace tileloom::trace {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::Policy;
using layout::Tiler;
using layout::Tree;
using layout::Value;

namespace {

[[noreturn]] void wrong(const std::string& what, const Value& found, const std::string& expected) {
  throw Error(ErrorKind::bad_input,
              what + ": " + to_string(found) + " is " + kind_of(found) + ", expected " + expected);
}

Value value_of(const std::string& field, const std::string& text, const Policy& policy) {
  return in_field(field, [&] { return layout::try_evaluate(text, policy).value(); });
}

}  // namespace

AnyLayout read_layout(const std::string& field, const std::string& text, const Policy& policy) {
  const Value v = value_of(field, text, policy);
  if (const auto* plain = std::get_if<Layout>(&v)) {
    return *plain;
  }
  if (const auto* swizzled = std::get_if<layout::ComposedLayout>(&v)) {
    return *swizzled;
  }
  wrong(field, v, "a layout");
}

Layout read_shape_or_layout(const std::string& field, const std::string& text, const std::string& modes,
                            const Policy& policy) {
  const Value v = value_of(field, text, policy);
  if (const auto* shape = std::get_if<Tree>(&v)) {
    return make_layout(*shape);
  }
  if (const auto* l = std::get_if<Layout>(&v)) {
    return *l;
  }
  wrong(field, v, "a shape or a layout" + modes);
}

Tiler read_permutation(const std::string& field, const std::string& text, const Policy& policy) {
  if (text.empty() || text == "none") {
    return Int::make_any();
  }
  const Value v = value_of(field, text, policy);
  if (const auto* tiler = std::get_if<Tiler>(&v)) {
    return *tiler;
  }
  if (const auto* shape = std::get_if<Tree>(&v)) {
    return Tiler::from_tree(*shape);
  }
  wrong(field, v, "a tiler such as <_32,_32,_16>, or none");
}

}  // namespace tileloom::trace
