// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "atom_places.hpp"
#include "bindings.hpp"
#include "values.hpp"

namespace tileloom::python {

using render::AtomPlace;

namespace {

const char* held_in(const PyOperand& o) {
  switch (o.view.keeper) {
    case render::Keeper::registers:
      return "registers";
    case render::Keeper::descriptor:
      return "descriptor";
    case render::Keeper::row:
      return "row";
    case render::Keeper::bytes:
      return "bytes";
  }
  return "";
}

std::map<std::string, std::string> formulas(const PyOperand& o) {
  std::map<std::string, std::string> texts;
  if (const auto found = render::formulas_of(o.view)) {
    for (const render::Formula* f : {&found->row, &found->column, &found->thread, &found->value}) {
      const std::string text = to_string(*f);
      texts[f->result] = text.substr(text.find("= ") + 2);
    }
  }
  return texts;
}

void bind_places(nb::module_& m) {
  nb::class_<AtomPlace>(m, "Place", "Where one element of an operand is: who holds it, as which value, in which bits.")
      .def_ro("row", &AtomPlace::row, "First coordinate of the element.")
      .def_ro("column", &AtomPlace::column, "Second coordinate of the element.")
      .def_ro("thread", &AtomPlace::thread, "Logical thread: the first mode of the thread-value layout.")
      .def_ro("warp", &AtomPlace::warp, "Warp of the warpgroup; 0 for instructions of one warp.")
      .def_ro("lane", &AtomPlace::lane, "Lane in the warp.")
      .def_ro("value", &AtomPlace::value, "Which of the thread's values: the second mode of the layout.")
      .def_prop_ro(
          "register", [](const AtomPlace& p) { return p.registers ? std::optional(p.registers->name) : std::nullopt; },
          "Name of the register as in PTX, `a2`; None outside of registers.")
      .def_prop_ro(
          "bits",
          [](const AtomPlace& p) {
            return p.registers ? std::optional(std::pair(p.registers->high, p.registers->low)) : std::nullopt;
          },
          "Highest and lowest bit in the register; None outside of registers.")
      .def_ro("where", &AtomPlace::where, "The same in words: `a2[31:16]`, `byte 3`.")
      .def(
          "__repr__",
          [](const AtomPlace& p) {
            return "<Place (" + std::to_string(p.row) + ", " + std::to_string(p.column) + ") lane " +
                   std::to_string(p.lane) + (p.warp != 0 ? " of warp " + std::to_string(p.warp) : "") + " value " +
                   std::to_string(p.value) + " " + p.where + ">";
          },
          "In words.");
}

void bind_operand(nb::module_& m) {
  nb::class_<PyOperand>(
      m, "Operand",
      "A matrix operand of an instruction, or one end of a copy: a row and a column name each element,\n"
      "(m, k) in A, (n, k) in B, (m, n) in C and D. Of ldmatrix and stmatrix a row is 128 bits in eight\n"
      "units; of other copies there is one row of bytes.\n\n"
      ">>> import tileloom\n"
      ">>> a = tileloom.MmaAtom('SM80_16x8x16_F16F16F16F16_TN').a\n"
      ">>> a.where(0, 9)\n"
      "<Place (0, 9) lane 0 value 5 a2[31:16]>\n"
      ">>> a.formulas['m'], a.formulas['lane']\n"
      "('lane/4 + 8*(v/2%2)', '4*(m%8) + k%8/2')")
      .def_prop_ro(
          "name", [](const PyOperand& o) { return o.view.letter; },
          "A, B, C, D; of a copy S (source), D (destination).")
      .def_prop_ro(
          "type", [](const PyOperand& o) { return o.view.type; }, "As in PTX, `f16`; b16 or b8 of a copy.")
      .def_prop_ro(
          "element_bits", [](const PyOperand& o) { return o.view.value_bits; },
          "Bits of an element in its register: 16 for f16, 32 for tf32.")
      .def_prop_ro(
          "shape", [](const PyOperand& o) { return std::pair(o.view.rows, o.view.columns); }, "Rows and columns.")
      .def_prop_ro(
          "axes", [](const PyOperand& o) { return std::pair(o.view.row_name, o.view.column_name); },
          "What rows and columns count: ('m', 'k').")
      .def_prop_ro(
          "held_in", &held_in,
          "`registers`; `descriptor`, shared memory that the warpgroup reads; `row`, shared memory at the address\n"
          "that a lane gives; `bytes` of one thread's copy.")
      .def_prop_ro(
          "values", [](const PyOperand& o) { return o.map ? o.map->values() : 0; },
          "Elements that a thread holds; 0 where a descriptor leads to them.")
      .def_prop_ro(
          "registers",
          [](const PyOperand& o) {
            const int each = o.view.register_bits / 32;  // of two 32-bit registers for f64
            return o.view.keeper == render::Keeper::registers
                       ? (o.map->values() * o.view.value_bits + o.view.register_bits - 1) / o.view.register_bits * each
                       : 0;
          },
          "32-bit registers that a thread holds it in; 0 outside of registers.")
      .def_prop_ro(
          "tv", [](const PyOperand& o) { return o.view.tv; },
          "(thread, value) -> element, counted down the first column first, as in CuTe's traits.")
      .def_prop_ro(
          "cute_tv", [](const PyOperand& o) { return o.cute_tv.empty() ? std::nullopt : std::optional(o.cute_tv); },
          "What CuTe prints where CuTe is wrong; else None.")
      .def_prop_ro(
          "formulas", &formulas,
          "Closed formulas of the layout, both ways, each by the name of its result; integers, `/` rounds down.")
      .def(
          "at",
          [](const PyOperand& o, nb::handle thread, nb::handle value) {
            const hw::LaneMap& map = o.lane_map();
            const hw::MatrixPosition p =
                map.at(checked_index("thread", thread, map.threads()), checked_index("value", value, map.values()));
            return std::pair(p.row, p.column);
          },
          nb::arg("thread").none(), nb::arg("value").none(),
          nb::sig("def at(self, thread: int, value: int) -> tuple[int, int]"),
          "The element that is value `value` of logical thread `thread`.")
      .def(
          "where",
          [](const PyOperand& o, nb::handle row, nb::handle column) { return holders_of(o, row, column).front(); },
          nb::arg("row").none(), nb::arg("column").none(), nb::sig("def where(self, row: int, column: int) -> Place"),
          "Its first holder. Raises BadInput outside of the operand.")
      .def("holders", &holders_of, nb::arg("row").none(), nb::arg("column").none(),
           nb::sig("def holders(self, row: int, column: int) -> list[Place]"),
           "All holders of an element, lower threads first.")
      .def("holds", &held_by, nb::arg("lane").none(), nb::arg("warp").none() = 0,
           nb::sig("def holds(self, lane: int, warp: int = 0) -> list[Place]"),
           "All that a lane holds, value by value.")
      .def(
          "__repr__",
          [](const PyOperand& o) {
            return "<Operand " + o.view.letter + " of " + o.view.atom + ": " + o.view.type + " " +
                   std::to_string(o.view.rows) + "x" + std::to_string(o.view.columns) + ">";
          },
          "In words.");
}

}  // namespace

void bind_operands(nb::module_& m) {
  bind_places(m);
  bind_operand(m);
}

}  // namespace tileloom::python
