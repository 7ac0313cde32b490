// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <sstream>

#include "atom_places.hpp"
#include "bindings.hpp"
#include "render/atom_text.hpp"
#include "render/draw/owner_pictures.hpp"
#include "svg.hpp"
#include "tileloom/error.hpp"
#include "values.hpp"

namespace tileloom::python {

using hw::CopyAtom;
using hw::MmaAtom;

namespace {

hw::AnyAtom any(const MmaAtom& atom) {
  return {&atom, nullptr};
}
hw::AnyAtom any(const CopyAtom& atom) {
  return {nullptr, &atom};
}

PyOperand operand(const MmaAtom& atom, std::string_view letter) {
  const std::string& cute = letter == "A" ? atom.a.cute_tv : letter == "B" ? atom.b.cute_tv : std::string();
  return PyOperand(render::operand_of(any(atom), letter), cute);
}

std::string card(const hw::AnyAtom& atom) {
  std::ostringstream out;
  render::atom_card(out, atom);
  return std::move(out).str();
}

// What both kinds of instructions have.
template <class Atom, class Class>
void bind_atom_members(Class& c, const std::string& class_name) {
  c.def_ro("name", &Atom::name, "CuTe's name.")
      .def_ro("ptx", &Atom::ptx, "The PTX mnemonic; empty where the compiler chooses.")
      .def_prop_ro(
          "arch", [](const Atom& x) { return to_string(x.arch); }, "The first architecture that has it: `sm_80`.")
      .def_prop_ro(
          "needs", [](const Atom& x) { return render::needs(any(x)); }, "`sm_80 or later`, `sm_90 only`.")
      .def_ro("threads", &Atom::threads, "How many execute it together.")
      .def_ro("thread_id", &Atom::thread_id, "Logical thread -> lane, CuTe's ThrID.")
      .def_ro("source", &Atom::source, "The section of the PTX ISA.")
      .def(
          "operand", [](const Atom& x, std::string_view word) { return PyOperand(render::operand_of(any(x), word)); },
          nb::arg("name"), "An operand by name, in any case. Raises BadInput for others.")
      .def(
          "svg",
          [](const Atom& x) {
            if constexpr (std::is_same_v<Atom, MmaAtom>) {
              return svg_text(render::draw::mma_picture(x));
            } else {
              return svg_text(render::draw::copy_picture(x));
            }
          },
          "Who holds what, as SVG 1.1. Raises BadInput for an automatic copy, which has no block of its own.")
      .def(
          "_repr_svg_",
          [](const nb::object& self) -> nb::object {
            try {
              return self.attr("svg")();
            } catch (const nb::python_error& error) {
              if (!error.matches(PyExc_ValueError)) {
                throw;
              }
              return nb::none();
            }
          },
          nb::sig("def _repr_svg_(self) -> str | None"), "The picture for notebooks; None where there is none.")
      .def(
          "__str__", [](const Atom& x) { return card(any(x)); }, "The card of `tileloom atom show`.")
      .def(
          "__repr__", [class_name](const Atom& x) { return class_name + "('" + x.name + "')"; },
          "Evaluates to the same instruction.")
      .def(
          "__eq__", [](const Atom& a, const Atom& b) { return a.name == b.name; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"), "The same instruction.")
      .def(
          "__hash__", [](const Atom& x) { return nb::hash(nb::cast(x.name)); }, "Of the name.")
      .def(
          "__reduce__",
          [](const nb::object& self) { return nb::make_tuple(self.type(), nb::make_tuple(self.attr("name"))); },
          nb::sig("def __reduce__(self) -> tuple"), "For pickle and copy.");
}

void bind_mma(nb::module_& m) {
  nb::class_<MmaAtom> c(
      m, "MmaAtom",
      "A matrix instruction D = A*B + C: its shape, types, registers and thread-value layouts.\n\n"
      "By CuTe's name, the PTX mnemonic, or words of either. Raises BadInput for unknown names, with the\n"
      "nearest, and for words that fit several.\n\n"
      ">>> import tileloom\n"
      ">>> mma = tileloom.MmaAtom('m16n8k16 f16')\n"
      ">>> mma, mma.shape, mma.threads, mma.arch\n"
      "(MmaAtom('SM80_16x8x16_F16F16F16F16_TN'), (16, 8, 16), 32, 'sm_80')\n"
      ">>> print(mma.a.tv)\n"
      "((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))\n"
      ">>> mma.a.registers\n"
      "4");
  c.def(
       "__init__", [](MmaAtom* self, std::string_view name) { new (self) MmaAtom(hw::mma_atom(name)); },
       nb::arg("name"), "name: CuTe's, the PTX mnemonic, or words of either.")
      .def_prop_ro(
          "shape", [](const MmaAtom& x) { return std::tuple(x.m, x.n, x.k); }, "(M, N, K).")
      .def_prop_ro(
          "a", [](const MmaAtom& x) { return operand(x, "A"); }, "A, M x K.")
      .def_prop_ro(
          "b", [](const MmaAtom& x) { return operand(x, "B"); }, "B, N x K: CuTe counts its rows along N.")
      .def_prop_ro(
          "c", [](const MmaAtom& x) { return operand(x, "C"); }, "C, M x N.")
      .def_prop_ro(
          "d", [](const MmaAtom& x) { return operand(x, "D"); }, "D, M x N.")
      .def_prop_ro(
          "one_arch_only", [](const MmaAtom& x) { return x.one_arch_only(); },
          "Whether no later architecture has it: wgmma.");
  bind_atom_members<MmaAtom>(c, "MmaAtom");
}

void bind_copy(nb::module_& m) {
  static constexpr const char* kinds[] = {"universal", "automatic", "cp_async", "ldmatrix", "stmatrix"};
  nb::class_<CopyAtom> c(m, "CopyAtom",
                         "A copy instruction: who reads and who gets which bits.\n\n"
                         "By name as MmaAtom.\n\n"
                         ">>> import tileloom\n"
                         ">>> copy = tileloom.CopyAtom('ldmatrix x4 trans')\n"
                         ">>> copy, copy.kind\n"
                         "(CopyAtom('SM75_U16x8_LDSM_T'), 'ldmatrix')\n"
                         ">>> copy.destination.where(3, 1)\n"
                         "<Place (3, 1) lane 5 value 1 r0[31:16]>");
  c.def(
       "__init__", [](CopyAtom* self, std::string_view name) { new (self) CopyAtom(hw::copy_atom(name)); },
       nb::arg("name"), "name: CuTe's, the PTX mnemonic, or words of either.")
      .def_prop_ro(
          "kind", [](const CopyAtom& x) { return kinds[static_cast<int>(x.kind)]; },
          "`universal`, `automatic`, `cp_async`, `ldmatrix` or `stmatrix`.")
      .def_ro("source_bits", &CopyAtom::source_bits, "(thread, bit) -> bit of the block that is read.")
      .def_ro("destination_bits", &CopyAtom::destination_bits, "(thread, bit) -> bit of the block that is written.")
      .def_ro("reference_bits", &CopyAtom::reference_bits,
              "The layout that numbers threads and values, CuTe's RefLayout.")
      .def_ro("unit_bits", &CopyAtom::unit_bits, "The smallest piece whose bits stay together.")
      .def_prop_ro(
          "source_operand", [](const CopyAtom& x) { return PyOperand(render::operand_of(any(x), "S")); },
          "What is read. Raises BadInput for an automatic copy.")
      .def_prop_ro(
          "destination", [](const CopyAtom& x) { return PyOperand(render::operand_of(any(x), "D")); },
          "What is written. Raises BadInput for an automatic copy.");
  bind_atom_members<CopyAtom>(c, "CopyAtom");
}

bool runs_on(const MmaAtom& x, hw::Arch arch) {
  return x.one_arch_only() ? x.arch == arch : x.arch <= arch;
}
bool runs_on(const CopyAtom& x, hw::Arch arch) {
  return x.arch <= arch;
}

std::vector<std::string> atoms(const std::optional<std::string>& kind, const std::optional<std::string>& arch) {
  if (kind && *kind != "mma" && *kind != "copy") {
    throw Error(ErrorKind::bad_input, "kind: expected mma or copy, found '" + *kind + "'");
  }
  std::vector<std::string> names;
  const auto add = [&](const auto& list) {
    for (const auto& x : list) {
      if (!arch || runs_on(x, hw::parse_arch(*arch))) {
        names.push_back(x.name);
      }
    }
  };
  if (kind != "copy") add(hw::mma_atoms());
  if (kind != "mma") add(hw::copy_atoms());
  return names;
}

nb::object atom(std::string_view name) {
  const hw::AnyAtom found = hw::atom(name);
  return found.mma != nullptr ? nb::cast(*found.mma) : nb::cast(*found.copy);
}

}  // namespace

void bind_atoms(nb::module_& m) {
  bind_operands(m);
  bind_mma(m);
  bind_copy(m);
  m.def("atoms", &atoms, nb::arg("kind") = nb::none(), nb::kw_only(), nb::arg("arch") = nb::none(),
        "Names of all instructions in the order of their architecture, MMAs first.\n\n"
        "kind: `mma` or `copy`; arch: only those that an architecture or chip runs, `sm_80` or `A100`.\n\n"
        ">>> import tileloom\n"
        ">>> 'SM75_U32x4_LDSM_N' in tileloom.atoms(kind='copy', arch='T4')\n"
        "True");
  m.def("atom", &atom, nb::arg("name"), nb::sig("def atom(name: str) -> MmaAtom | CopyAtom"),
        "An instruction of either kind by name.\n\n"
        ">>> import tileloom\n"
        ">>> tileloom.atom('ldmatrix x4')\n"
        "CopyAtom('SM75_U32x4_LDSM_N')");
}

}  // namespace tileloom::python
