// SPDX-License-Identifier: Apache-2.0
#include "tree.hpp"

#include <string>

#include "integers.hpp"
#include "tileloom/error.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::python {

using layout::Int;
using layout::Tree;
using layout::TreeBuilder;
using layout::TreeRef;

namespace {

nb::object static_type() {
  return nb::module_::import_("tileloom._static").attr("Static");
}

// `make_static`: the type of static integers, or none for plain ones.
nb::object convert(TreeRef tree, const nb::object& make_static) {
  if (tree.is_tuple()) {
    nb::list children;
    for (const TreeRef child : tree) {
      children.append(convert(child, make_static));
    }
    return nb::tuple(children);
  }
  const Int& leaf = tree.leaf();
  if (leaf.is_any()) {
    return nb::none();
  }
  if (leaf.has_basis()) {
    return nb::cast(std::string(to_string(tree)));
  }
  nb::object value = nb::int_(leaf.value);
  return leaf.is_static() && make_static.is_valid() ? make_static(value) : value;
}

Int integer_of(nb::handle object, const nb::object& static_integers) {
  const std::optional<std::int64_t> number = as_int64(object);
  if (!number) {
    throw Error(ErrorKind::bad_input,
                "integer " + std::string(nb::str(object).c_str()) + " is out of range, expected at most 64 bits");
  }
  return nb::isinstance(object, static_integers) ? Int::make_static(*number) : Int::make_dynamic(*number);
}

void read(nb::handle object, const nb::object& static_integers, TreeBuilder& out) {
  if (object.is_none()) {
    out.leaf(Int::make_any());
  } else if (nb::isinstance<nb::str>(object)) {
    out.append(layout::parse_tree(nb::cast<std::string>(object)));
  } else if (nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object)) {
    out.open();
    for (const nb::handle child : object) {
      read(child, static_integers, out);
    }
    out.close();
  } else if (PyIndex_Check(object.ptr()) != 0) {
    out.leaf(integer_of(object, static_integers));
  } else {
    throw Error(ErrorKind::bad_input, "expected an integer, a tuple of integers, None or text, found " +
                                          std::string(nb::repr(object).c_str()));
  }
}

}  // namespace

nb::object tree_to_python(TreeRef tree) {
  return convert(tree, static_type());
}

nb::object plain_to_python(TreeRef tree) {
  return convert(tree, {});
}

Tree tree_of(nb::handle object) {
  TreeBuilder builder;
  read(object, static_type(), builder);
  return builder.take();
}

}  // namespace tileloom::python
