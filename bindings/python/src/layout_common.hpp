// SPDX-License-Identifier: Apache-2.0
// What plain and swizzled layouts have in common.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "tileloom/layout/algebra.hpp"
#include "values.hpp"

namespace tileloom::python {

// Largest number of offsets that `table` and numpy get.
inline constexpr std::int64_t max_table = std::int64_t{1} << 22;

// The offset at a coordinate; with None in it, the layout of what is left and its offset.
[[nodiscard]] nb::object offset_at(const layout::AnyLayout& any, const nb::args& coordinate);
// Mode `key`, or the mode at the path `key`. Throws IndexError.
[[nodiscard]] layout::Layout mode_at(const layout::Layout& l, nb::handle key);
// Nested lists, one level for each mode.
[[nodiscard]] nb::object table_of(const layout::AnyLayout& any);
[[nodiscard]] nb::object array_of(const layout::AnyLayout& any, nb::handle dtype, nb::handle copy);
// The picture of `draw` for it.
[[nodiscard]] std::string svg_of(const layout::AnyLayout& any, std::optional<int> bank_bits, const TreeArgument& tile);
// The same, or None where `draw` refuses.
[[nodiscard]] nb::object notebook_svg(const layout::AnyLayout& any);
// Underscores do not count, as in CuTe's operator==.
[[nodiscard]] bool equal_values(layout::TreeRef a, layout::TreeRef b);
[[nodiscard]] bool equal_values(const layout::Layout& a, const layout::Layout& b);
[[nodiscard]] nb::tuple hash_key(const layout::Layout& l);

// Binds what both classes have. `Class` is an nb::class_ of `L`.
template <class L, class Class>
void bind_layout_members(Class& c) {
  using layout::AnyLayout;
  c.def(
       "__call__", [](const L& l, const nb::args& coordinate) { return offset_at(l, coordinate); },
       nb::sig("def __call__(self, *coordinate: int | str | tuple | list | None) -> typing.Any"),
       "The offset at a coordinate: one integer, one a mode, or a tuple.\n\n"
       "An integer is split over the modes, the first one fastest; beyond the size the last mode goes on. With None "
       "for\n"
       "some modes, the pair of the layout that is left and the offset where it starts.\n"
       "For strides that are coordinates the result is one.\n\n"
       ">>> import tileloom\n"
       ">>> row = tileloom.Layout((4, 8), (8, 1))\n"
       ">>> row(2, 5), row((2, 5)), row(22)\n"
       "(21, 21, 21)\n"
       ">>> row(None, 3)\n"
       "(Layout('(4):(8)'), 3)")
      .def(
          "table", [](const L& l) { return table_of(l); }, nb::sig("def table(self) -> typing.Any"),
          "All offsets as nested lists, one level a mode: `table()[i][j]` is the offset at (i, j).\n\n"
          "At most 2**22 of them.\n\n"
          ">>> import tileloom\n"
          ">>> tileloom.Layout((2, 3), (3, 1)).table()\n"
          "[[0, 1, 2], [3, 4, 5]]")
      .def(
          "__array__", [](const L& l, nb::handle dtype, nb::handle copy) { return array_of(l, dtype, copy); },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> typing.Any"),
          "`table()` as an array of numpy, int64 if no type is asked for.")
      .def(
          "svg",
          [](const L& l, std::optional<int> bank_bits, const TreeArgument& tile) { return svg_of(l, bank_bits, tile); },
          nb::arg("bank_bits") = nb::none(), nb::arg("tile").none() = TreeArgument{nb::none()},
          nb::sig("def svg(self, bank_bits: int | None = None, tile: int | str | tuple | list | None = None) -> str"),
          "The picture that `tileloom draw` makes of a layout of rank 1 or 2, as SVG 1.1.\n\n"
          "bank_bits: of an element in shared memory; cells then show banks, and colours groups of four.\n"
          "tile: the layout maps (thread, value) to elements of a tile of this shape; cells show who holds them.\n\n"
          "Raises BadInput for other ranks and for more than 2**18 cells.")
      .def(
          "_repr_svg_", [](const L& l) { return notebook_svg(l); }, nb::sig("def _repr_svg_(self) -> str | None"),
          "The picture for notebooks; None where there is none.")
      .def(
          "__str__", [](const L& l) { return to_string(l); }, "CuTe's text.")
      .def(
          "__reduce__",
          [](const nb::object& self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); },
          nb::sig("def __reduce__(self) -> tuple"), "For pickle and copy.")
      .def(
          "__matmul__",
          [](const L& l, nb::handle other) {
            return value_to_python(layout::call("composition", {l, value_of(other, {})}));
          },
          nb::sig("def __matmul__(self, other: typing.Any) -> typing.Any"),
          "`a @ b` is composition(a, b): b first, then a.");
}

}  // namespace tileloom::python
