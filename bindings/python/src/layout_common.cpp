// SPDX-License-Identifier: Apache-2.0
#include "layout_common.hpp"

#include <algorithm>
#include <vector>

#include "integers.hpp"
#include "render/draw/layout_pictures.hpp"
#include "svg.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

using layout::AnyLayout;
using layout::Int;
using layout::Layout;
using layout::Tree;
using layout::TreeRef;

namespace {

// One argument is the coordinate; several are its modes.
Tree coordinate_of(const nb::args& arguments) {
  return arguments.size() == 1 ? tree_of(arguments[0]) : tree_of(arguments);
}

nb::object rows(const AnyLayout& any, const std::vector<std::int64_t>& sizes, std::size_t level, std::int64_t index,
                std::int64_t step) {
  if (level == sizes.size()) {
    return plain_to_python(evaluate(any, Tree(Int::make_dynamic(index))));
  }
  nb::list list;
  for (std::int64_t i = 0; i < sizes[level]; ++i) {
    list.append(rows(any, sizes, level + 1, index + i * step, step * sizes[level]));
  }
  return list;
}

std::size_t checked_mode(const Layout& l, nb::handle key) {
  const auto rank = static_cast<std::int64_t>(l.rank());
  if (PyIndex_Check(key.ptr()) == 0) {
    throw Error(ErrorKind::bad_input,
                "mode: expected an integer or a tuple of integers, found " + nb::cast<std::string>(nb::repr(key)),
                nb::isinstance<nb::slice>(key) ? "tileloom.layout.take(layout, begin, end) keeps some modes" : "");
  }
  const std::optional<std::int64_t> mode = as_int64(key);
  if (!mode || *mode < -rank || *mode >= rank) {
    throw nb::index_error(
        ("mode " + nb::cast<std::string>(nb::str(key)) + " of " + to_string(l) + ", which has " + std::to_string(rank))
            .c_str());
  }
  return static_cast<std::size_t>(*mode < 0 ? *mode + rank : *mode);
}

}  // namespace

nb::object offset_at(const AnyLayout& any, const nb::args& coordinate) {
  const Tree tree = coordinate_of(coordinate);
  if (!has_any(tree)) {
    return plain_to_python(evaluate(any, tree));
  }
  const layout::Sliced sliced = slice_and_offset(tree, any);
  return nb::make_tuple(layout_to_python(sliced.layout), plain_to_python(sliced.offset));
}

Layout mode_at(const Layout& l, nb::handle key) {
  if (!nb::isinstance<nb::tuple>(key)) {
    return l[checked_mode(l, key)];
  }
  Layout mode = l;
  for (const nb::handle step : key) {
    mode = mode[checked_mode(mode, step)];
  }
  return mode;
}

nb::object table_of(const AnyLayout& any) {
  const Layout& inner = domain(any);
  const std::int64_t elements = size(inner).value;
  if (elements > max_table) {
    throw Error(ErrorKind::bad_input,
                "table: " + std::to_string(elements) + " elements, expected at most " + std::to_string(max_table));
  }
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < inner.rank(); ++i) {
    sizes.push_back(product(inner.shape()[i]).value);
  }
  return rows(any, sizes, 0, 0, 1);
}

nb::object array_of(const AnyLayout& any, nb::handle dtype, nb::handle copy) {
  if (!copy.is_none() && !nb::cast<bool>(copy)) {
    throw nb::value_error("a layout has no memory: expected a copy");
  }
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object type = dtype.is_none() ? numpy.attr("int64") : nb::borrow(dtype);
  return numpy.attr("array")(table_of(any), nb::arg("dtype") = type);
}

std::string svg_of(const AnyLayout& any, std::optional<int> bank_bits, const TreeArgument& tile) {
  if (!tile.object.is_none()) {
    const auto* tv = std::get_if<Layout>(&any);
    if (tv == nullptr || bank_bits) {
      throw Error(ErrorKind::bad_input, "tile: expected a plain layout without bank_bits, found " +
                                            (bank_bits ? "bank_bits " + std::to_string(*bank_bits) : to_string(any)));
    }
    const Tree shape = tile.tree();
    layout::check_sizes(shape);
    return svg_text(render::draw::tv_picture(*tv, shape));
  }
  return svg_text(bank_bits ? render::draw::bank_picture(any, *bank_bits) : render::draw::layout_picture(any));
}

nb::object notebook_svg(const AnyLayout& any) {
  try {
    return nb::cast(svg_of(any, {}, {nb::none()}));
  } catch (const Error&) {
    return nb::none();
  }
}

// Layouts have no wildcards, and a tuple's node says how many it spans.
bool equal_values(TreeRef a, TreeRef b) {
  return std::equal(
      a.nodes(), a.nodes() + a.node_count(), b.nodes(), b.nodes() + b.node_count(),
      [](const Int& x, const Int& y) { return x.value == y.value && x.is_tuple() == y.is_tuple() && x.same_basis(y); });
}

bool equal_values(const Layout& a, const Layout& b) {
  return equal_values(a.shape(), b.shape()) && equal_values(a.stride(), b.stride());
}

nb::tuple hash_key(const Layout& l) {
  const auto key = [](TreeRef tree) {
    nb::list nodes;
    for (std::size_t i = 0; i < tree.node_count(); ++i) {
      const Int& node = tree.nodes()[i];
      nodes.append(nb::make_tuple(node.value, node.is_tuple(), node.basis_depth));
    }
    return nb::tuple(nodes);
  };
  return nb::make_tuple(key(l.shape()), key(l.stride()));
}

}  // namespace tileloom::python
