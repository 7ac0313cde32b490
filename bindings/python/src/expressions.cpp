// SPDX-License-Identifier: Apache-2.0
// Functions of layouts by name, and texts: expressions, symbols, tables.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <sstream>

#include "bindings.hpp"
#include "integers.hpp"
#include "render/layout_text.hpp"
#include "tileloom/layout/symbols.hpp"
#include "values.hpp"

namespace tileloom::python {

using layout::Log;
using layout::Policy;
using layout::SymbolicLayout;
using layout::Value;
using Numbers = std::map<std::string, std::int64_t>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

namespace {

nb::object call(const std::string& name, const nb::args& arguments, bool cute) {
  const Policy policy = policy_of(cute);
  std::vector<Value> values;
  values.reserve(arguments.size());
  for (const nb::handle argument : arguments) {
    values.push_back(value_of(argument, policy));
  }
  return value_to_python(layout::call(name, values, policy));
}

Value value_of_text(const std::string& text, const Numbers& values, const Policy& policy) {
  return values.empty() ? layout::evaluate(text, policy)
                        : layout::substitute(text, {values.begin(), values.end()}, policy);
}

nb::tuple explain(const std::string& text, bool cute) {
  Log log;
  log.want_steps = true;
  const Value value = layout::evaluate(text, policy_of(cute, &log));
  Pairs steps;
  for (const layout::Step& step : log.steps) {
    steps.emplace_back(step.what, step.result);
  }
  return nb::make_tuple(value_to_python(value), nb::cast(steps), nb::cast(log.notes));
}

std::string table_text(nb::handle l) {
  std::ostringstream out;
  render::layout_table(out, any_layout_of(l));
  return std::move(out).str();
}

std::map<std::string, render::Property> properties(nb::handle l, bool cute) {
  const render::Properties found = render::layout_properties(any_layout_of(l), policy_of(cute));
  return {found.begin(), found.end()};
}

std::vector<std::pair<std::string, std::string>> functions() {
  Pairs list;
  for (const layout::FunctionInfo& f : layout::functions()) {
    list.emplace_back(f.name, f.arguments);
  }
  return list;
}

void bind_symbols(nb::module_& m) {
  nb::class_<SymbolicLayout>(m, "SymbolicLayout",
                             "A layout whose sizes and strides are not known yet, but what divides them is.\n\n"
                             ">>> from tileloom.layout import SymbolicLayout\n"
                             ">>> rows = SymbolicLayout('(M,K):(K{div=8},_1)')\n"
                             ">>> rows.symbols, rows.max_alignment\n"
                             "({'K': 8, 'M': 1}, 8)\n"
                             ">>> rows.substitute({'M': 100, 'K': 4096})\n"
                             "Layout('(100,4096):(4096,_1)')")
      .def(
          "__init__",
          [](SymbolicLayout* self, const std::string& text) {
            new (self) SymbolicLayout(layout::parse_symbolic_layout(text));
          },
          nb::arg("text"), "text: a layout with names for integers, each perhaps followed by {div=N}.")
      .def_prop_ro(
          "symbols",
          [](const SymbolicLayout& l) {
            Numbers divisors;
            for (const layout::Symbol& symbol : symbols_of(l)) {
              divisors[symbol.name] = symbol.divisor;
            }
            return divisors;
          },
          "Each name with the largest number known to divide it.")
      .def_prop_ro(
          "max_alignment", [](const SymbolicLayout& l) { return max_alignment(l); },
          "The widest vector in elements that every such layout allows.")
      .def_prop_ro(
          "divisibility",
          [](const SymbolicLayout& l) {
            layout::Divisibility d = divisibility(l);
            return std::pair(std::move(d.shape), std::move(d.stride));
          },
          "For each leaf of shape and of stride, in reading order, the largest number known to divide it.")
      .def(
          "substitute",
          [](const SymbolicLayout& l, nb::handle values) {
            const Numbers numbers = integers_argument("values", values);
            return substitute(l, {numbers.begin(), numbers.end()});
          },
          nb::arg("values").none(),
          nb::sig("def substitute(self, values: collections.abc.Mapping[str, int]) -> Layout"),
          "The layout with these values, as dynamic integers.")
      .def(
          "__eq__", [](const SymbolicLayout& a, const SymbolicLayout& b) { return a == b; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"), "Same text.")
      .def(
          "__hash__", [](const SymbolicLayout& l) { return nb::hash(nb::cast(to_string(l))); },
          "Equal layouts have equal hashes.")
      .def(
          "__reduce__",
          [](const nb::object& self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); },
          nb::sig("def __reduce__(self) -> tuple"), "For pickle and copy.")
      .def(
          "__str__", [](const SymbolicLayout& l) { return to_string(l); }, "Its text.")
      .def(
          "__repr__", [](const SymbolicLayout& l) { return "SymbolicLayout('" + to_string(l) + "')"; },
          "Evaluates to the same layout.");
}

}  // namespace

void bind_expressions(nb::module_& m) {
  bind_symbols(m);
  m.def(
      "evaluate",
      [](const std::string& text, nb::handle values, bool cute) {
        return value_to_python(value_of_text(text, integers_argument("values", values), policy_of(cute)));
      },
      nb::arg("text"), nb::arg("values").none() = Numbers{}, nb::kw_only(), nb::arg("cute") = false,
      nb::sig("def evaluate(text: str, values: collections.abc.Mapping[str, int] = {}, *, cute: bool = False) -> "
              "typing.Any"),
      "Whatever `tileloom layout` evaluates: layout text, with calls of functions.\n\n"
      "values: for symbols in the text, such as K.\n"
      "cute: CuTe's own answer, right or wrong; else the right one.\n\n"
      "Raises BadInput for malformed text, with the column, and for what has no answer.\n\n"
      ">>> import tileloom\n"
      ">>> tileloom.evaluate('coalesce((_2,_4):(_1,_2))')\n"
      "Layout('_8:_1')\n"
      ">>> tileloom.evaluate('size((M,_8):(_8,_1))', {'M': 3})\n"
      "24");
  m.def("call", &call, nb::arg("name"), nb::arg("arguments"), nb::arg("cute") = false,
        nb::sig("def call(name: str, *arguments: typing.Any, cute: bool = False) -> typing.Any"),
        "A function of expressions by name; arguments that are text are evaluated.\n\n"
        ">>> from tileloom.layout import call\n"
        ">>> call('size', '(_4,_8):(_8,_1)')\n"
        "32");
  m.def("explain_expression", &explain, nb::arg("text"), nb::kw_only(), nb::arg("cute") = false,
        nb::sig("def explain_expression(text: str, *, cute: bool = False) -> tuple[typing.Any, list[tuple[str, str]], "
                "list[str]]"),
        "The value of an expression, the steps to it as (expression, result), and a note for each place where the\n"
        "right answer is not CuTe's.\n\n"
        ">>> from tileloom.layout import explain\n"
        ">>> value, steps, notes = explain('logical_divide(_12:_1, _4:_1)')\n"
        ">>> value, steps[2]\n"
        "(Layout('(_4,_3):(_1,_4)'), ('complement(_4:_1, _12)', '_3:_4'))");
  m.def("table_text", &table_text, nb::arg("layout"),
        nb::sig("def table_text(layout: Layout | ComposedLayout | str) -> str"),
        "The offsets as `tileloom layout --table` prints them: rank 1 to 4, up to 65536 elements.\n\n"
        ">>> from tileloom.layout import table_text\n"
        ">>> print(table_text('(_2,_4):(_4,_1)'))\n"
        "offset | 0 1 2 3\n"
        "-------+--------\n"
        "     0 | 0 1 2 3\n"
        "     1 | 4 5 6 7\n"
        "<BLANKLINE>");
  m.def("properties", &properties, nb::arg("layout"), nb::kw_only(), nb::arg("cute") = false,
        nb::sig("def properties(layout: Layout | ComposedLayout | str, *, cute: bool = False) -> "
                "dict[str, int | bool | str]"),
        "What `tileloom layout --properties` shows: rank, depth, size, coshape, cosize, injective, surjective,\n"
        "bijective, coalesced form, alignment in elements.\n\n"
        ">>> from tileloom.layout import properties\n"
        ">>> properties('(_4,_8):(_8,_1)')['bijective']\n"
        "True");
  m.def("functions", &functions, "Every function of expressions: its name, and its arguments in words.");
}

}  // namespace tileloom::python
