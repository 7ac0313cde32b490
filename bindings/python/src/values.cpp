// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <vector>

#include "tileloom/error.hpp"

namespace tileloom::python {

using layout::AnyLayout;
using layout::ComposedLayout;
using layout::Layout;
using layout::Policy;
using layout::Swizzle;
using layout::Tensor;
using layout::Tiler;
using layout::Tree;
using layout::Value;

namespace {

nb::object tiler_to_python(const Tiler& tiler) {
  if (tiler.is_layout()) {
    return nb::cast(tiler.layout());
  }
  if (!tiler.is_modes()) {
    return tree_to_python(Tree(tiler.leaf()));
  }
  nb::list modes;
  for (const Tiler& mode : tiler.modes()) {
    modes.append(tiler_to_python(mode));
  }
  return nb::tuple(modes);
}

bool is_sequence(nb::handle object) {
  return nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object);
}

bool holds_layout(nb::handle object) {
  if (nb::isinstance<nb::str>(object)) {
    const auto text = nb::cast<std::string>(object);
    return text.find_first_of(":<") != std::string::npos;
  }
  if (!is_sequence(object)) {
    return nb::isinstance<Layout>(object);
  }
  for (const nb::handle child : object) {
    if (holds_layout(child)) {
      return true;
    }
  }
  return false;
}

}  // namespace

nb::object layout_to_python(const AnyLayout& any) {
  return std::visit([](const auto& l) { return nb::cast(l); }, any);
}

nb::object value_to_python(const Value& value) {
  if (const auto* tree = std::get_if<Tree>(&value)) {
    return tree_to_python(*tree);
  }
  if (const auto* plain = std::get_if<Layout>(&value)) {
    return nb::cast(*plain);
  }
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) {
    return nb::cast(*composed);
  }
  if (const auto* swizzle = std::get_if<Swizzle>(&value)) {
    return nb::cast(*swizzle);
  }
  if (const auto* tiler = std::get_if<Tiler>(&value)) {
    return tiler_to_python(*tiler);
  }
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    return nb::cast(*tensor);
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    return nb::bool_(*truth);
  }
  return nb::cast(to_string(value));
}

Value value_of(nb::handle object, const Policy& policy) {
  if (nb::isinstance<nb::bool_>(object)) {
    return nb::cast<bool>(object);
  }
  if (nb::isinstance<nb::str>(object)) {
    return layout::evaluate(nb::cast<std::string>(object), policy);
  }
  if (nb::isinstance<Layout>(object)) {
    return nb::cast<Layout>(object);
  }
  if (nb::isinstance<ComposedLayout>(object)) {
    return nb::cast<ComposedLayout>(object);
  }
  if (nb::isinstance<Swizzle>(object)) {
    return nb::cast<Swizzle>(object);
  }
  if (nb::isinstance<Tensor>(object)) {
    return nb::cast<Tensor>(object);
  }
  if (is_sequence(object) && holds_layout(object)) {
    std::vector<Tiler> modes;
    for (const nb::handle mode : object) {
      modes.push_back(tiler_of(mode, policy));
    }
    return Tiler(std::move(modes));
  }
  return tree_of(object);
}

Tiler tiler_of(nb::handle object, const Policy& policy) {
  const Value value = value_of(object, policy);
  if (const auto* tiler = std::get_if<Tiler>(&value)) {
    return *tiler;
  }
  if (const auto* plain = std::get_if<Layout>(&value)) {
    return *plain;
  }
  if (const auto* tree = std::get_if<Tree>(&value)) {
    return Tiler::from_tree(*tree);
  }
  throw Error(ErrorKind::bad_input, "expected a tiler: a layout, a size or None for each mode, found " +
                                        kind_of(value) + ", " + to_string(value));
}

AnyLayout any_layout_of(nb::handle object) {
  const Value value = value_of(object, {});
  if (const auto* plain = std::get_if<Layout>(&value)) {
    return *plain;
  }
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) {
    return *composed;
  }
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    return tensor->layout;
  }
  throw Error(ErrorKind::bad_input, "expected a layout, found " + kind_of(value) + ", " + to_string(value));
}

}  // namespace tileloom::python
