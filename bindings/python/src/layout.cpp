// SPDX-License-Identifier: Apache-2.0
// The classes of the layout engine. Their algebra is bound as one function, `call`, which tileloom/layout/ names.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "integers.hpp"
#include "layout_common.hpp"
#include "tileloom/error.hpp"
#include "tileloom/layout/text.hpp"

namespace tileloom::python {

using layout::AnyLayout;
using layout::ComposedLayout;
using layout::Layout;
using layout::Swizzle;
using layout::Tensor;
using layout::Tree;

namespace {

Layout make_layout(const TreeArgument& shape, const TreeArgument& stride) {
  if (nb::isinstance<Layout>(shape.object) && stride.object.is_none()) {
    return nb::cast<Layout>(shape.object);
  }
  if (shape.object.is_none()) {
    throw Error(ErrorKind::bad_input, "shape: expected an integer, a tuple of integers or text, found None");
  }
  if (nb::isinstance<nb::str>(shape.object) && stride.object.is_none()) {
    const auto text = nb::cast<std::string>(shape.object);
    if (text.find(':') != std::string::npos) {
      return layout::parse_layout(text);
    }
  }
  const Tree sizes = shape.tree();
  layout::check_sizes(sizes);
  return stride.object.is_none() ? Layout(sizes) : Layout(sizes, stride.tree());
}

// Text, or a layout, whose text it has.
ComposedLayout parse_composed(const nb::object& text) {
  const AnyLayout any = layout::parse_any_layout(nb::cast<std::string>(nb::str(text)));
  if (const auto* composed = std::get_if<ComposedLayout>(&any)) {
    return *composed;
  }
  throw Error(ErrorKind::bad_input, "expected a swizzled layout, found " + to_string(any), "use Layout for it");
}

// An iterator over the modes.
nb::object modes_of(const nb::object& layout) {
  nb::list modes;
  for (std::size_t i = 0; i < nb::len(layout); ++i) {
    modes.append(layout[i]);
  }
  return nb::iter(modes);
}

nb::class_<Layout> bind_plain(nb::module_& m) {
  nb::class_<Layout> c(m, "Layout",
                       "A function from coordinates to offsets, CuTe's shape:stride.\n\n"
                       "Made of CuTe's text, or of a shape and a stride as nested tuples; without a stride it is\n"
                       "compact, first mode fastest. In text `_4` is a static integer; in tuples integers are dynamic\n"
                       "unless they are `tileloom.layout.Static`. Underscores say how CuTe would print a result; they\n"
                       "do not count in comparisons.\n\n"
                       "Raises BadInput for malformed text (with the column), profiles that differ, sizes below 1.\n\n"
                       ">>> import tileloom\n"
                       ">>> tileloom.Layout('(_4,(_2,_8)):(_2,(_1,_16))').shape\n"
                       "(4, (2, 8))\n"
                       ">>> print(tileloom.Layout((4, 8), (8, 1)))\n"
                       "(4,8):(8,1)\n"
                       ">>> print(tileloom.Layout((4, 8)))\n"
                       "(4,8):(_1,4)");
  c.def(
       "__init__",
       [](Layout* self, const TreeArgument& shape, const TreeArgument& stride) {
         new (self) Layout(make_layout(shape, stride));
       },
       nb::arg("shape").none(), nb::arg("stride").none() = TreeArgument{nb::none()},
       nb::sig("def __init__(self, shape: Layout | int | str | tuple | list, stride: int | str | tuple | list | None = "
               "None) -> "
               "None"),
       "shape: the text of a layout, a layout, or sizes.\nstride: of the same profile as the shape, in elements.")
      .def_prop_ro("shape", &Layout::shape, "The sizes as an integer or nested tuples.")
      .def_prop_ro("stride", &Layout::stride,
                   "The strides in the profile of the shape, in elements; of coordinates as text, `_1@0`.")
      .def_prop_ro(
          "rank", [](const Layout& l) { return l.rank(); }, "Number of modes; 1 for an integer shape.")
      .def_prop_ro(
          "depth", [](const Layout& l) { return layout::depth(l.shape()); },
          "Number of nested tuples; 0 for an integer shape.")
      .def_prop_ro(
          "size", [](const Layout& l) { return size(l).value; }, "Number of coordinates.")
      .def_prop_ro(
          "cosize", [](const Layout& l) { return cosize(l).value; }, "1 + the largest offset, for positive strides.")
      .def(
          "__len__", [](const Layout& l) { return l.rank(); }, "The rank.")
      .def(
          "__iter__", [](const nb::object& self) { return modes_of(self); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Layout]"), "The modes.")
      .def(
          "__getitem__", [](const Layout& l, nb::handle key) { return mode_at(l, key); }, nb::arg("mode").none(),
          nb::sig("def __getitem__(self, mode: int | tuple[int, ...]) -> Layout"),
          "Mode i as a layout; `l[i, j]` is mode j of mode i. Raises IndexError.")
      .def(
          "__eq__", [](const Layout& a, const Layout& b) { return equal_values(a, b); }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"), "Same shape and stride, underscores aside.")
      .def(
          "__hash__", [](const Layout& l) { return nb::hash(hash_key(l)); }, "Equal layouts have equal hashes.")
      .def(
          "__repr__", [](const Layout& l) { return "Layout('" + to_string(l) + "')"; },
          "Evaluates to the same layout.");
  return c;
}

nb::class_<ComposedLayout> bind_composed(nb::module_& m) {
  nb::class_<ComposedLayout> c(m, "ComposedLayout",
                               "A swizzled layout: coordinate -> swizzle(offset + layout(coordinate)).\n\n"
                               ">>> import tileloom\n"
                               ">>> s = tileloom.ComposedLayout('Sw<3,3,3> o _0 o (_8,_64):(_64,_1)')\n"
                               ">>> s(1, 0), s.swizzle, s.layout\n"
                               "(72, Swizzle(3, 3, 3), Layout('(_8,_64):(_64,_1)'))\n"
                               ">>> s == tileloom.Swizzle(3, 3, 3) @ tileloom.Layout('(_8,_64):(_64,_1)')\n"
                               "True");
  c.def(
       "__init__",
       [](ComposedLayout* self, const nb::object& text) { new (self) ComposedLayout(parse_composed(text)); },
       nb::arg("text"), nb::sig("def __init__(self, text: str | ComposedLayout) -> None"), "From CuTe's text.")
      .def(
          "__init__",
          [](ComposedLayout* self, const Swizzle& swizzle, nb::handle offset, const Layout& inner) {
            const auto start = layout::Int::make_dynamic(integer_argument("offset", offset));
            new (self) ComposedLayout(swizzle, {start, 0}, inner);
          },
          nb::arg("swizzle"), nb::arg("offset"), nb::arg("layout"),
          nb::sig("def __init__(self, swizzle: Swizzle, offset: int, layout: Layout) -> None"),
          "From its parts; the offset is in elements.")
      .def_prop_ro("swizzle", &ComposedLayout::swizzle, "What is applied last.")
      .def_prop_ro(
          "offset", [](const ComposedLayout& l) { return l.offset().value.value; },
          "What is added before the swizzle, in elements.")
      .def_prop_ro("layout", &ComposedLayout::layout, "What is applied first.")
      .def_prop_ro(
          "shape", [](const ComposedLayout& l) { return l.layout().shape(); }, "The shape of the inner layout.")
      .def_prop_ro(
          "rank", [](const ComposedLayout& l) { return l.layout().rank(); }, "Number of modes.")
      .def_prop_ro(
          "depth", [](const ComposedLayout& l) { return layout::depth(l.layout().shape()); },
          "Number of nested tuples.")
      .def_prop_ro(
          "size", [](const ComposedLayout& l) { return size(l.layout()).value; }, "Number of coordinates.")
      .def_prop_ro(
          "cosize", [](const ComposedLayout& l) { return cosize(l.layout()).value; },
          "That of the inner layout, as in CuTe.")
      .def(
          "__len__", [](const ComposedLayout& l) { return l.layout().rank(); }, "The rank.")
      .def(
          "__iter__", [](const nb::object& self) { return modes_of(self); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[ComposedLayout]"), "The modes.")
      .def(
          "__getitem__",
          [](const ComposedLayout& l, nb::handle key) {
            return ComposedLayout(l.swizzle(), l.offset(), mode_at(l.layout(), key));
          },
          nb::arg("mode").none(), nb::sig("def __getitem__(self, mode: int | tuple[int, ...]) -> ComposedLayout"),
          "Mode i, behind the same swizzle. Raises IndexError.")
      .def(
          "__eq__",
          [](const ComposedLayout& a, const ComposedLayout& b) {
            return a.swizzle() == b.swizzle() && a.offset().value.value == b.offset().value.value &&
                   equal_values(a.layout(), b.layout());
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"), "Same parts, underscores aside.")
      .def(
          "__hash__",
          [](const ComposedLayout& l) {
            const Swizzle& s = l.swizzle();
            return nb::hash(
                nb::make_tuple(s.bits(), s.base(), s.shift(), l.offset().value.value, hash_key(l.layout())));
          },
          "Equal layouts have equal hashes.")
      .def(
          "__repr__", [](const ComposedLayout& l) { return "ComposedLayout('" + to_string(l) + "')"; },
          "Evaluates to the same layout.");
  return c;
}

void bind_swizzle(nb::module_& m) {
  nb::class_<Swizzle>(
      m, "Swizzle",
      "CuTe's Sw<B,M,S>: XORs B bits of an offset, from S above them, into the bits from M up.\n\n"
      "It is its own inverse. Raises BadInput unless B >= 0, M >= 0, |S| >= B and all bits fit in 31.\n\n"
      ">>> import tileloom\n"
      ">>> swizzle = tileloom.Swizzle(3, 3, 3)\n"
      ">>> swizzle(64), swizzle(72), print(swizzle)\n"
      "Sw<3,3,3>\n"
      "(72, 64, None)")
      .def(
          "__init__",
          [](Swizzle* self, nb::handle bits, nb::handle base, nb::handle shift) {
            new (self) Swizzle(int_argument("bits", bits), int_argument("base", base), int_argument("shift", shift));
          },
          nb::arg("bits").none(), nb::arg("base").none(), nb::arg("shift").none(),
          nb::sig("def __init__(self, bits: int, base: int, shift: int) -> None"),
          "bits: how many are XORed; base: bits below that stay; shift: distance to their source, negative: below.")
      .def_prop_ro("bits", &Swizzle::bits, "B, the number of bits.")
      .def_prop_ro("base", &Swizzle::base, "M, the bits that stay.")
      .def_prop_ro("shift", &Swizzle::shift, "S, the distance.")
      .def(
          "__call__", [](const Swizzle& s, nb::handle offset) { return s(integer_argument("offset", offset)); },
          nb::arg("offset").none(), nb::sig("def __call__(self, offset: int) -> int"),
          "The offset with its bits XORed.")
      .def(
          "__matmul__",
          [](const Swizzle& s, nb::handle other) {
            return value_to_python(layout::call("composition", {s, value_of(other, {})}));
          },
          nb::sig("def __matmul__(self, other: typing.Any) -> typing.Any"), "`s @ layout` is composition(s, layout).")
      .def(
          "__eq__", [](const Swizzle& a, const Swizzle& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"), "Same three numbers.")
      .def(
          "__hash__", [](const Swizzle& s) { return nb::hash(nb::make_tuple(s.bits(), s.base(), s.shift())); },
          "Equal swizzles have equal hashes.")
      .def(
          "__reduce__",
          [](const nb::object& self) {
            return nb::make_tuple(self.type(),
                                  nb::make_tuple(self.attr("bits"), self.attr("base"), self.attr("shift")));
          },
          nb::sig("def __reduce__(self) -> tuple"), "For pickle and copy.")
      .def(
          "__str__", [](const Swizzle& s) { return to_string(s); }, "CuTe's text.")
      .def(
          "__repr__",
          [](const Swizzle& s) {
            return "Swizzle(" + std::to_string(s.bits()) + ", " + std::to_string(s.base()) + ", " +
                   std::to_string(s.shift()) + ")";
          },
          "Evaluates to the same swizzle.");
}

void bind_tensor(nb::module_& m) {
  nb::class_<Tensor>(m, "Tensor",
                     "A tensor as CuTe prints it: a pointer or a coordinate, and a layout.\n\n"
                     ">>> import tileloom\n"
                     ">>> t = tileloom.evaluate('smem_ptr[16b](0x400) o (_8,_8):(_8,_1)')\n"
                     ">>> t.layout\n"
                     "Layout('(_8,_8):(_8,_1)')")
      .def(
          "__init__", [](Tensor* self, const std::string& text) { new (self) Tensor(layout::parse_tensor(text)); },
          nb::arg("text"), "From CuTe's text.")
      .def_prop_ro(
          "layout", [](const Tensor& t) { return layout_to_python(t.layout); },
          nb::sig("def layout(self) -> Layout | ComposedLayout"), "Where its elements are.")
      .def(
          "__eq__", [](const Tensor& a, const Tensor& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"), "Same text.")
      .def(
          "__hash__", [](const Tensor& t) { return nb::hash(nb::cast(to_string(t))); }, "Equal tensors, equal hashes.")
      .def(
          "__reduce__",
          [](const nb::object& self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); },
          nb::sig("def __reduce__(self) -> tuple"), "For pickle and copy.")
      .def(
          "__str__", [](const Tensor& t) { return to_string(t); }, "CuTe's text.")
      .def(
          "__repr__", [](const Tensor& t) { return "Tensor('" + to_string(t) + "')"; },
          "Evaluates to the same tensor.");
}

}  // namespace

void bind_layout(nb::module_& m) {
  bind_swizzle(m);
  nb::class_<Layout> plain = bind_plain(m);
  nb::class_<ComposedLayout> composed = bind_composed(m);
  bind_layout_members<Layout>(plain);
  bind_layout_members<ComposedLayout>(composed);
  bind_tensor(m);
  bind_expressions(m);
}

}  // namespace tileloom::python
