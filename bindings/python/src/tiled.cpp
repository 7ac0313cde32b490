// SPDX-License-Identifier: Apache-2.0
// Tiled MMAs and tiled copies.
#include "bindings.hpp"
#include "casts.hpp"
#include "cli/arguments.hpp"
#include "cli/trace_json.hpp"
#include "cli/trace_names.hpp"
#include "picture.hpp"
#include "render/draw/owner_pictures.hpp"
#include "tileloom/error.hpp"
#include "tileloom/layout/expression.hpp"
#include "tileloom/trace/kernel.hpp"
#include "values.hpp"

namespace tileloom::python {

namespace {

using layout::AnyLayout;
using layout::Layout;
using trace::End;
using trace::TiledCopy;
using trace::TiledMma;

// A layout or its text, an expression of `tileloom layout`.
AnyLayout any_layout(const nb::object& given) {
  const std::string text = nb::str(given).c_str();
  const layout::Value value = layout::evaluate(text);
  if (const auto* plain = std::get_if<Layout>(&value)) {
    return *plain;
  }
  if (const auto* composed = std::get_if<layout::ComposedLayout>(&value)) {
    return *composed;
  }
  throw Error(ErrorKind::bad_input, "expected a layout, found " + kind_of(value) + ", " + to_string(value));
}

Layout plain_layout(const nb::object& given) {
  const AnyLayout any = any_layout(given);
  if (const auto* plain = std::get_if<Layout>(&any)) {
    return *plain;
  }
  throw Error(ErrorKind::bad_input, "expected a layout without a swizzle, found " + to_string(any));
}

// A shape, `(_2,_2,_1)`, or a layout.
Layout shape_or_layout(const nb::object& given) {
  const std::string text = nb::str(given).c_str();
  return text.find(':') == std::string::npos && text.starts_with('(') ? Layout(layout::parse_tree(text))
                                                                      : plain_layout(given);
}

// Sizes of a permutation are static, as in CuTe.
layout::Tiler with_static_sizes(const layout::Tiler& tiler) {
  if (tiler.is_layout()) {
    return tiler;
  }
  if (!tiler.is_modes()) {
    return tiler.leaf().is_any() ? tiler : layout::Tiler(layout::Int::make_static(tiler.leaf().value));
  }
  std::vector<layout::Tiler> modes;
  for (const layout::Tiler& mode : tiler.modes()) {
    modes.push_back(with_static_sizes(mode));
  }
  return layout::Tiler(std::move(modes));
}

// Text such as <_32,_32,_16>, a tuple of tilers, or None for no permutation.
layout::Tiler permutation_of(nb::handle given) {
  return nb::isinstance<nb::str>(given) ? layout::parse_tiler(nb::cast<std::string>(given))
                                        : with_static_sizes(tiler_of(given, {}));
}

End end_of(const std::string& end) {
  if (end != "source" && end != "destination") {
    throw Error(ErrorKind::bad_input, "end: expected source or destination, found '" + end + "'");
  }
  return end == "source" ? End::source : End::destination;
}

// A number, or of a coordinate tensor a tuple.
nb::object start_of(layout::TreeRef offset) {
  if (offset.is_leaf()) {
    return nb::int_(offset.leaf().value);
  }
  nb::list made;
  for (const layout::TreeRef mode : offset) {
    made.append(start_of(mode));
  }
  return nb::tuple(made);
}

// (layout, start).
nb::tuple part(const layout::Sliced& sliced) {
  return nb::make_tuple(cast_layout(sliced.layout), start_of(sliced.offset));
}

std::int64_t number(const layout::Int& i) {
  return i.value;
}

// A run-time value, as threadIdx.x is.
layout::Int thread_of(std::int64_t thread, const layout::Int& count) {
  return layout::Int::make_dynamic(cli::parse_count("thread", std::to_string(thread), 0, number(count) - 1));
}

void bind_mma(nb::module_& m) {
  nb::class_<TiledMma> mma(m, "TiledMma", "MMA instructions side by side: who holds which element of A, B and C.");
  mma.def(
         "__init__",
         [](TiledMma* self, const std::string& atom, const nb::object& atom_layout, nb::handle permutation) {
           new (self) TiledMma(hw::mma_atom(atom), shape_or_layout(atom_layout), permutation_of(permutation));
         },
         nb::arg("atom"), nb::arg("atom_layout") = "(_1,_1,_1)", nb::arg("permutation").none() = nb::none(),
         nb::sig("def __init__(self, atom: str, atom_layout: Layout | str = '(_1,_1,_1)', "
                 "permutation: str | tuple | None = None) -> None"),
         "atom: an instruction such as SM80_16x8x16_F16F16F16F16_TN. atom_layout: instructions in M, N and K on\n"
         "threads of their own. permutation: a tiler such as <_32,_32,_16>, or a tuple.")
      .def_prop_ro(
          "atom", [](const TiledMma& t) { return std::string(t.atom().name); }, "The instruction.")
      .def_prop_ro(
          "threads", [](const TiledMma& t) { return number(t.threads()); }, "All of them.")
      .def_prop_ro(
          "tile_size",
          [](const TiledMma& t) {
            return std::tuple(number(t.tile_size(0)), number(t.tile_size(1)), number(t.tile_size(2)));
          },
          "(M, N, K) that all threads hold together.")
      .def_prop_ro(
          "thr_layout_vmnk", [](const TiledMma& t) { return nb::cast(t.thr_layout_vmnk()); },
          nb::sig("def thr_layout_vmnk(self) -> Layout"), "(thread of an atom, atom in M, in N, in K) to thread.")
      .def(
          "layout_tv",
          [](const TiledMma& t, const std::string& operand) {
            return nb::cast(t.layout_tv(cli::parse_operand("operand", operand)));
          },
          nb::arg("operand"), nb::sig("def layout_tv(self, operand: str) -> Layout"),
          "(thread, value) to element of the tile of \"A\", \"B\" or \"C\", first mode fastest.")
      .def(
          "partition",
          [](const TiledMma& t, const std::string& operand, const nb::object& tensor, std::int64_t thread) {
            return part(
                t.partition(cli::parse_operand("operand", operand), any_layout(tensor), thread_of(thread, t.lanes())));
          },
          nb::arg("operand"), nb::arg("tensor"), nb::arg("thread"),
          nb::sig("def partition(self, operand: str, tensor: Layout | ComposedLayout | str, thread: int) "
                  "-> tuple[Layout | ComposedLayout, int | tuple]"),
          "A thread's part of a tensor, (values, repeats, repeats), and where it starts.")
      .def(
          "make_fragment",
          [](const TiledMma& t, const std::string& operand, const nb::object& partition) {
            return nb::cast(t.make_fragment(cli::parse_operand("operand", operand), any_layout(partition)));
          },
          nb::arg("operand"), nb::arg("partition"),
          nb::sig("def make_fragment(self, operand: str, partition: Layout | ComposedLayout | str) -> Layout"),
          "Registers for a thread's part of a tensor.")
      .def("__repr__",
           [](const TiledMma& t) {
             return "<tileloom.TiledMma " + std::string(t.atom().name) + ", tile " + to_string(t.tile_size()) + ", " +
                    std::to_string(number(t.threads())) + " threads>";
           })
      .def(
          "draw", [](const TiledMma& t) { return PyPicture{render::draw::mma_picture(t, "")}; },
          "A picture of who holds which element.")
      .def("_repr_svg_", [](const TiledMma& t) { return PyPicture{render::draw::mma_picture(t, "")}.svg(); });
  def_equality(mma, [](const TiledMma& t) {
    return std::tuple(t.atom().name, t.thr_layout_vmnk(), t.tile_size(), t.layout_tv(trace::Operand::a),
                      t.layout_tv(trace::Operand::b));
  });
}

void bind_copy(nb::module_& m) {
  nb::class_<TiledCopy> copy(m, "TiledCopy", "Copy instructions side by side: which thread moves which elements.");
  copy.def_static(
          "of_mma",
          [](const TiledMma& mma, const std::string& operand, const std::string& atom) {
            return tiled_copy_for(mma, cli::parse_operand("operand", operand), hw::copy_atom(atom));
          },
          nb::arg("mma"), nb::arg("operand"), nb::arg("atom"),
          "The copy that loads or stores what the threads of a tiled MMA hold (make_tiled_copy_A, _B, _C).")
      .def_static(
          "make",
          [](const std::string& atom, int bits, const nb::object& threads, const nb::object& values) {
            return trace::make_tiled_copy(hw::copy_atom(atom), bits, shape_or_layout(threads), shape_or_layout(values));
          },
          nb::arg("atom"), nb::arg("bits"), nb::arg("threads"), nb::arg("values"),
          nb::sig("def make(atom: str, bits: int, threads: Layout | str, values: Layout | str) -> TiledCopy"),
          "The copy of elements of `bits` bits by a tile of threads with a block of values each (make_tiled_copy).")
      .def_prop_ro(
          "atom", [](const TiledCopy& t) { return std::string(t.atom().name); }, "The instruction.")
      .def_prop_ro("bits", &TiledCopy::value_bits, "Of an element.")
      .def_prop_ro(
          "threads", [](const TiledCopy& t) { return number(t.threads()); }, "All of them.")
      .def_prop_ro(
          "tiler", [](const TiledCopy& t) { return to_string(t.tiler()); }, "Shape of the tile, as text.")
      .def(
          "layout_tv", [](const TiledCopy& t, const std::string& end) { return nb::cast(t.layout_tv(end_of(end))); },
          nb::arg("end"), nb::sig("def layout_tv(self, end: str) -> Layout"),
          "(thread, values) to element of the tile, of the \"source\" or the \"destination\".")
      .def(
          "partition",
          [](const TiledCopy& t, const std::string& end, const nb::object& tensor, std::int64_t thread) {
            return part(t.partition(end_of(end), any_layout(tensor), thread_of(thread, t.threads())));
          },
          nb::arg("end"), nb::arg("tensor"), nb::arg("thread"),
          nb::sig("def partition(self, end: str, tensor: Layout | ComposedLayout | str, thread: int) "
                  "-> tuple[Layout | ComposedLayout, int | tuple]"),
          "A thread's part of a tensor, ((values of a copy, copies), repeats ...), and where it starts.")
      .def(
          "retile",
          [](const TiledCopy& t, const nb::object& fragment) { return cast_layout(t.retile(any_layout(fragment))); },
          nb::arg("fragment"),
          nb::sig("def retile(self, fragment: Layout | ComposedLayout | str) -> Layout | ComposedLayout"),
          "Registers of an MMA, grouped by copies.")
      .def("__repr__",
           [](const TiledCopy& t) {
             return "<tileloom.TiledCopy " + std::string(t.atom().name) + ", tile " + to_string(t.tiler()) + ", " +
                    std::to_string(number(t.threads())) + " threads>";
           })
      .def(
          "draw", [](const TiledCopy& t) { return PyPicture{render::draw::copy_picture(t, "tiled copy")}; },
          "A picture of source and destination.")
      .def("_repr_svg_",
           [](const TiledCopy& t) { return PyPicture{render::draw::copy_picture(t, "tiled copy")}.svg(); });
  def_equality(copy,
               [](const TiledCopy& t) { return std::tuple(t.atom().name, t.value_bits(), t.layout_tv(), t.tiler()); });
}

nb::object optional_layout(const std::optional<AnyLayout>& l) {
  return l ? cast_layout(*l) : nb::object(nb::none());
}

void bind_path(nb::module_& m) {
  using trace::OperandPath;
  nb::class_<OperandPath>(m, "OperandPath", "Everything that one operand passes; None is what the kernel has not.")
      .def_prop_ro(
          "operand", [](const OperandPath& p) { return cli::operand_name(p.operand); }, "\"A\", \"B\" or \"D\".")
      .def_ro("bits", &OperandPath::bits, "Of an element in memory.")
      .def_prop_ro(
          "shape", [](const OperandPath& p) { return std::pair(p.rows, p.columns); }, "Of the CTA's tile.")
      .def_prop_ro(
          "matrix", [](const OperandPath& p) { return optional_layout(p.matrix); },
          nb::sig("def matrix(self) -> Layout | ComposedLayout | None"), "The whole matrix.")
      .def_prop_ro(
          "global_tile", [](const OperandPath& p) { return optional_layout(p.global); },
          nb::sig("def global_tile(self) -> Layout | ComposedLayout | None"),
          "The tiles of CTA (0,0): (rows, columns, k-tiles), of D (rows, columns).")
      .def_prop_ro(
          "shared", [](const OperandPath& p) { return optional_layout(p.shared); },
          nb::sig("def shared(self) -> Layout | ComposedLayout | None"),
          "The tile in shared memory: (rows, columns, stages); of D a part of it.")
      .def_ro("fill", &OperandPath::fill, "The copy into shared memory.")
      .def_ro("drain", &OperandPath::drain, "The copy out of shared memory; of D without it out of registers.")
      .def_prop_ro(
          "fragment", [](const OperandPath& p) { return nb::cast(p.fragment); },
          nb::sig("def fragment(self) -> Layout"), "A thread's registers.");
}

}  // namespace

void bind_tiled(nb::module_& m) {
  bind_mma(m);
  bind_copy(m);
  bind_path(m);
}

}  // namespace tileloom::python
