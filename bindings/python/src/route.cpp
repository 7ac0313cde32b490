// SPDX-License-Identifier: Apache-2.0
// The way of an element, and what a register holds.
#include <fmt/format.h>

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/trace_json.hpp"
#include "trace.hpp"

namespace tileloom::python {

namespace {

using nb::cast;

// The steps of a route, under the same names for one that was asked for and for those of a register.
template <class Class, class Get>
void bind_steps(Class& c, const Get& route) {
  using Self = typename Class::Type;
  c.def_prop_ro(
       "operand", [route](const Self& s) { return cli::operand_name(route(s).operand); }, "\"A\", \"B\" or \"D\".")
      .def_prop_ro(
          "element", [route](const Self& s) { return route(s).element; }, "(row, column) in the CTA's tile.")
      .def_prop_ro(
          "k_tile", [route](const Self& s) { return route(s).k_tile; }, "Which tile along K.")
      .def_prop_ro(
          "cta", [route](const Self& s) { return route(s).cta; }, "The CTA, by its tile (m, n) of the output.")
      .def_prop_ro(
          "global_memory", [route](const Self& s) { return route(s).global; },
          "Where it lies in the matrix; None where the configuration has no matrix.")
      .def_prop_ro(
          "copies", [route](const Self& s) { return route(s).copies; }, "Copies between global and shared memory.")
      .def_prop_ro(
          "shared", [route](const Self& s) { return route(s).shared; }, "Where it lies in shared memory, or None.")
      .def_prop_ro(
          "holders", [route](const Self& s) { return route(s).holders; },
          "Threads that hold it in registers, and how each loads it.")
      .def_prop_ro(
          "stores", [route](const Self& s) { return route(s).stores; }, "Of D: copies from registers.")
      .def_prop_ro(
          "slab", [route](const Self& s) { return route(s).slab; },
          "Of D: its part of the tile on the way through shared memory, or None.")
      .def_prop_ro(
          "feeds", [route](const Self& s) { return route(s).feeds; },
          "Of A and B: the results that it is a factor of, or None.");
}

void bind_places(nb::module_& m) {
  nb::class_<trace::GlobalPlace>(m, "GlobalPlace", "An element in a matrix in global memory.")
      .def_ro("element", &trace::GlobalPlace::element, "(row, column) in the matrix.")
      .def_ro("offset", &trace::GlobalPlace::offset, "Elements from the matrix's start.")
      .def_ro("byte", &trace::GlobalPlace::byte, "Bytes from the matrix's start.");
  nb::class_<trace::CopyPlace>(m, "CopyPlace", "One copy instruction of one thread that moves the element.")
      .def_ro("thread", &trace::CopyPlace::thread, "Who copies.")
      .def_ro("first", &trace::CopyPlace::first, "The first element that it moves, (row, column) in the tile.")
      .def_ro("last", &trace::CopyPlace::last, "The last one.")
      .def_ro("position", &trace::CopyPlace::position, "Of the element among them.")
      .def_ro("bytes", &trace::CopyPlace::bytes, "That it moves.")
      .def_ro("global_byte", &trace::CopyPlace::global_byte, "Of its first element in the matrix, or None.");
  nb::class_<trace::SharedPlace>(m, "SharedPlace", "An element in shared memory.")
      .def_ro("stage", &trace::SharedPlace::stage, "Which stage; of D which place in sC.")
      .def_ro("before_swizzle", &trace::SharedPlace::before_swizzle, "Its offset in elements without the swizzle.")
      .def_ro("offset", &trace::SharedPlace::offset, "Its offset in elements in the operand's tensor.")
      .def_ro("byte", &trace::SharedPlace::byte, "Of the CTA's shared memory.")
      .def_ro("bank", &trace::SharedPlace::bank, "0 to 31.");
  nb::class_<trace::SlabPlace>(m, "SlabPlace", "A part of the output tile on its way through shared memory.")
      .def_ro("part", &trace::SlabPlace::part, "In the order of the epilogue.")
      .def_ro("round", &trace::SlabPlace::round, "Parts that are written together are one round.")
      .def_ro("pipe", &trace::SlabPlace::pipe, "The part's place in sC.")
      .def_ro("rounds", &trace::SlabPlace::rounds, "Of the whole tile.")
      .def_ro("origin", &trace::SlabPlace::origin, "The part's first element, (row, column) in the tile.")
      .def_ro("last", &trace::SlabPlace::last, "Its last one.")
      .def_ro("in_part", &trace::SlabPlace::in_part, "The element in the part.");
}

void bind_holders(nb::module_& m) {
  nb::class_<trace::LoadPlace>(m, "LoadPlace", "How a thread gets the element out of shared memory.")
      .def_ro("source_thread", &trace::LoadPlace::source_thread, "Whose address leads to it.")
      .def_ro("source_lane", &trace::LoadPlace::source_lane, "Its lane.")
      .def_ro("first", &trace::LoadPlace::first, "First element at that address, (row, column) in the tile.")
      .def_ro("last", &trace::LoadPlace::last, "Last element there: with ldmatrix the end of a row.")
      .def_ro("position", &trace::LoadPlace::position, "Of the element among them.")
      .def_ro("e", &trace::LoadPlace::e, "The element in one instruction's block, as CuTe counts.")
      .def_ro("tv", &trace::LoadPlace::tv, "Reference thread and value of the instruction, as CuTe counts.")
      .def_ro("q", &trace::LoadPlace::q, "The element in the tiled MMA's tile, as CuTe counts.");
  nb::class_<trace::Holder>(m, "Holder", "A thread that holds the element in a register.")
      .def_prop_ro(
          "thread", [](const trace::Holder& h) { return h.place.thread; }, "Of the CTA.")
      .def_prop_ro(
          "warp", [](const trace::Holder& h) { return h.place.warp; }, "Of the CTA.")
      .def_prop_ro(
          "lane", [](const trace::Holder& h) { return h.place.lane; }, "Of the warp.")
      .def_prop_ro(
          "slot", [](const trace::Holder& h) { return h.place.slot; }, "Offset in the thread's fragment.")
      .def_prop_ro(
          "mma_index", [](const trace::Holder& h) { return h.place.mma; },
          "(value, repeat, repeat): the index of the MMA's fragment, such as tCrA.")
      .def_prop_ro(
          "copy_index", [](const trace::Holder& h) { return h.place.copy; },
          "The index of the same value as the copy counts it, such as of tXrA; None without one.")
      .def_prop_ro(
          "register", [](const trace::Holder& h) { return h.place.bits.name; }, "PTX's name, such as `a2`.")
      .def_prop_ro(
          "bits", [](const trace::Holder& h) { return std::pair(h.place.bits.high, h.place.bits.low); },
          "(highest, lowest) bit of that register.")
      .def_ro("load", &trace::Holder::load, "Of A and B: the copy out of shared memory, or None.")
      .def("__repr__", [](const trace::Holder& h) {
        return fmt::format("<tileloom.Holder warp {}, lane {}, {}>", h.place.warp, h.place.lane,
                           to_string(h.place.bits));
      });
  nb::class_<trace::Feeds>(m, "Feeds", "The results that an element is a factor of: a row or a column of D.")
      .def_ro("in_atom", &trace::Feeds::in_atom, "The element within one instruction's operand.")
      .def_ro("first", &trace::Feeds::first, "First element of D, (row, column) in the tile.")
      .def_ro("last", &trace::Feeds::last, "Last element of D.")
      .def_ro("warps", &trace::Feeds::warps, "Who holds them.")
      .def_ro("lanes", &trace::Feeds::lanes, "Who holds them.")
      .def_ro("registers", &trace::Feeds::registers, "In which registers of the instruction: `d0` ...");
}

}  // namespace

void bind_route(nb::module_& m) {
  bind_places(m);
  bind_holders(m);
  nb::class_<RouteAnswer, Answer> route(
      m, "Route",
      "The way of one element: of A and B from global memory to the results that it feeds, of D from the registers to\n"
      "global memory. What the kernel does not have is None or empty.");
  bind_steps(route, [](const RouteAnswer& r) -> const trace::Route& { return r.route; });
  nb::class_<trace::Route> steps(m, "RouteSteps", "The steps of a `Route`, of an element of a register.");
  bind_steps(steps, [](const trace::Route& r) -> const trace::Route& { return r; });
  nb::class_<trace::RegisterContent>(m, "RegisterContent", "What a register holds at one MMA of the fragment.")
      .def_ro("mma_index", &trace::RegisterContent::mma, "(value, repeat, repeat) of the first value.")
      .def_ro("slots", &trace::RegisterContent::slots, "Offsets in the fragment.")
      .def_ro("elements", &trace::RegisterContent::elements, "(row, column) in the tile, the lowest bits first.");
  nb::class_<RegisterAnswer, Answer>(m, "RegisterReport", "The elements in a register of a thread, and their ways.")
      .def_prop_ro(
          "name", [](const RegisterAnswer& a) { return a.report.name; }, "PTX's name, such as `a2`.")
      .def_prop_ro(
          "operand", [](const RegisterAnswer& a) { return cli::operand_name(a.report.operand); },
          "\"A\", \"B\" or \"D\".")
      .def_prop_ro(
          "thread", [](const RegisterAnswer& a) { return a.report.thread; }, "Of the CTA.")
      .def_prop_ro(
          "warp", [](const RegisterAnswer& a) { return a.report.warp; }, "Of the CTA.")
      .def_prop_ro(
          "lane", [](const RegisterAnswer& a) { return a.report.lane; }, "Of the warp.")
      .def_prop_ro(
          "k_tile", [](const RegisterAnswer& a) { return a.report.k_tile; }, "Which tile along K.")
      .def_prop_ro(
          "contents", [](const RegisterAnswer& a) { return a.report.contents; },
          "One for each repeat of the MMA in the fragment.")
      .def_prop_ro(
          "routes", [](const RegisterAnswer& a) { return a.report.routes; },
          "By content and element: the way of each. The only holder is this thread, feeds are None.");
}

}  // namespace tileloom::python
