// SPDX-License-Identifier: Apache-2.0
// Layouts of a kernel, and how to read them.
#include "bindings.hpp"
#include "casts.hpp"
#include "cli/trace_json.hpp"
#include "trace.hpp"

namespace tileloom::python {

namespace {

const char* memory_name(trace::Memory memory) {
  switch (memory) {
    case trace::Memory::global:
      return "global";
    case trace::Memory::shared:
      return "shared";
    case trace::Memory::registers:
      break;
  }
  return "registers";
}

void bind_tensors(nb::module_& m) {
  nb::class_<trace::NamedLayout>(m, "NamedLayout", "A tensor of the kernel under the name that CuTe code gives it.")
      .def_ro("name", &trace::NamedLayout::name, "Such as `tCsA`.")
      .def_ro("modes", &trace::NamedLayout::modes, "Names of its modes: `(MMA, MMA_M, MMA_K)`.")
      .def_prop_ro(
          "layout", [](const trace::NamedLayout& t) { return cast_layout(t.layout); },
          nb::sig("def layout(self) -> Layout | ComposedLayout"), "Coordinate to offset, in elements.")
      .def_prop_ro(
          "operand", [](const trace::NamedLayout& t) { return cli::operand_name(t.operand); }, "\"A\", \"B\" or \"D\".")
      .def_prop_ro(
          "memory", [](const trace::NamedLayout& t) { return memory_name(t.memory); },
          "\"global\", \"shared\" or \"registers\".")
      .def_ro("start", &trace::NamedLayout::start, "Offset of its first element in what it is a part of.")
      .def("__repr__",
           [](const trace::NamedLayout& t) { return "<" + t.name + " " + t.modes + " " + to_string(t.layout) + ">"; });
  nb::class_<trace::StageLayouts>(m, "Stage", "The tensors of one step of one operand.")
      .def_ro("step", &trace::StageLayouts::step, "Such as `A: global -> shared`.")
      .def_ro("atom", &trace::StageLayouts::atom, "The instruction; empty where the compiler chooses.")
      .def_ro("tensors", &trace::StageLayouts::tensors, "In the order of the code.");
}

void bind_counts(nb::module_& m) {
  nb::class_<trace::Expansion>(m, "Expansion", "Atom, atom layout, permutation, tile: lengths in M, N and K.")
      .def_ro("atom", &trace::Expansion::atom, "Elements of one instruction.")
      .def_ro("atoms", &trace::Expansion::atoms, "Instructions side by side, each on threads of its own.")
      .def_ro("permutation", &trace::Expansion::permutation, "Elements that all threads hold together.")
      .def_ro("tile", &trace::Expansion::tile, "Elements of the CTA's tile.")
      .def_ro("atom_threads", &trace::Expansion::atom_threads, "Threads of one instruction.")
      .def_ro("threads", &trace::Expansion::threads, "Threads of the CTA.");
  nb::class_<trace::InstructionCount>(m, "StepCount", "How many instructions of one kind the kernel makes.")
      .def_ro("what", &trace::InstructionCount::what, "`mma`, or the step.")
      .def_ro("atom", &trace::InstructionCount::atom, "The instruction.")
      .def_ro("per_k_block", &trace::InstructionCount::per_k_block, "Of a warp; 0: not part of the k-block.")
      .def_ro("per_k_tile", &trace::InstructionCount::per_k_tile, "Of a warp; 0: part of the epilogue.")
      .def_ro("cta_per_k_tile", &trace::InstructionCount::cta_per_k_tile,
              "Of all warps; of the epilogue: for the whole output tile.");
  nb::class_<trace::FragmentSize>(m, "FragmentSize", "What a thread holds of one operand.")
      .def_ro("name", &trace::FragmentSize::name, "Such as `tCrA`.")
      .def_ro("values", &trace::FragmentSize::values, "Of a thread.")
      .def_ro("bits", &trace::FragmentSize::bits, "Of a value.")
      .def_ro("registers", &trace::FragmentSize::registers, "Of 32 bits.");
  nb::class_<trace::GemmWalk>(m, "GemmWalk", "The MMAs of a warp in a k-block, in the order in which they are issued.")
      .def_ro("rows", &trace::GemmWalk::rows, "MMA_M.")
      .def_ro("columns", &trace::GemmWalk::columns, "MMA_N.")
      .def_ro("steps", &trace::GemmWalk::steps, "(m, n) of each.")
      .def_ro("a_changes", &trace::GemmWalk::a_changes, "Steps whose A is another than that of the step before.")
      .def_ro("b_changes", &trace::GemmWalk::b_changes, "Steps whose B is another than that of the step before.");
}

void bind_explained(nb::module_& m) {
  nb::class_<trace::ExplainedMode>(m, "ExplainedMode", "One letter of `offset = a*1 + b*512 + ...`.")
      .def_ro("symbol", &trace::ExplainedMode::symbol, "The letter.")
      .def_ro("mode", &trace::ExplainedMode::mode, "The mode of which it is a part: `MMA`.")
      .def_ro("size", &trace::ExplainedMode::size, "How many values the letter takes.")
      .def_ro("stride", &trace::ExplainedMode::stride, "What it is multiplied by.")
      .def_ro("step", &trace::ExplainedMode::step, "Rows, columns, k-tiles or stages from one value to the next.")
      .def_ro("even", &trace::ExplainedMode::even, "Whether every step is like the first.")
      .def_ro("positions", &trace::ExplainedMode::positions, "Where it is not: each value's element.");
  nb::class_<trace::ExplainedTensor>(m, "ExplainedTensor", "How to read one tensor's layout.")
      .def_ro("tensor", &trace::ExplainedTensor::tensor, "The tensor.")
      .def_ro("modes", &trace::ExplainedTensor::modes, "First mode first.")
      .def_ro("before_swizzle", &trace::ExplainedTensor::before, "What is added before the swizzle.");
}

}  // namespace

void bind_overview(nb::module_& m) {
  bind_tensors(m);
  bind_counts(m);
  bind_explained(m);
  nb::class_<OverviewAnswer, Answer>(m, "Overview", "Every layout of every stage, and how the tile grows.")
      .def_prop_ro(
          "thread", [](const OverviewAnswer& a) { return a.overview.thread; }, "Whose partitions.")
      .def_prop_ro(
          "cta", [](const OverviewAnswer& a) { return a.overview.cta; }, "Whose global tensors, (m, n).")
      .def_prop_ro(
          "stages", [](const OverviewAnswer& a) { return a.overview.stages; }, "In the order of the kernel.")
      .def_prop_ro(
          "expansion", [](const OverviewAnswer& a) { return a.overview.expansion; }, "From atom to tile.")
      .def_prop_ro(
          "counts", [](const OverviewAnswer& a) { return a.overview.counts; }, "Instructions.")
      .def_prop_ro(
          "fragments", [](const OverviewAnswer& a) { return a.overview.fragments; }, "A thread's registers.")
      .def_prop_ro(
          "walk", [](const OverviewAnswer& a) { return a.overview.walk; }, "The MMAs of a k-block.")
      .def_prop_ro(
          "elements", [](const OverviewAnswer& a) { return a.elements; },
          "Where a thread was named: its elements of A, B and D, MMA by MMA.");
  nb::class_<TensorsAnswer, Answer>(m, "TensorList", "Tensors by name.")
      .def_prop_ro(
          "stages", [](const TensorsAnswer& a) { return a.stages; }, "The tensors, in their stages.");
  nb::class_<ExplainedAnswer, Answer>(m, "Explanation", "How to read layouts, and where their modes come from.")
      .def_prop_ro(
          "tensors", [](const ExplainedAnswer& a) { return a.tensors; }, "In the order of the kernel.");
}

void bind_elements(nb::module_& m) {
  nb::class_<trace::MmaElements>(m, "MmaElements", "The values of one MMA that a thread holds.")
      .def_ro("repeat", &trace::MmaElements::repeat, "(m, k) of A, (n, k) of B, (m, n) of D.")
      .def_ro("slots", &trace::MmaElements::slots, "Offsets in the fragment, by value.")
      .def_ro("elements", &trace::MmaElements::elements, "(row, column) in the CTA's tile, by value.");
  nb::class_<trace::ThreadElements>(m, "ThreadElements", "One thread's elements of an operand.")
      .def_prop_ro(
          "operand", [](const trace::ThreadElements& e) { return cli::operand_name(e.operand); },
          "\"A\", \"B\" or \"D\".")
      .def_ro("thread", &trace::ThreadElements::thread, "Of the CTA.")
      .def_ro("per_register", &trace::ThreadElements::per_register, "Neighbouring values that share a register.")
      .def_ro("registers", &trace::ThreadElements::registers, "Of one MMA: `a0` ...")
      .def_ro("mmas", &trace::ThreadElements::blocks, "MMA by MMA, first repeats first.");
  nb::class_<trace::PatternRepeat>(m, "PatternRepeat", "The tiled MMA's pattern, again further down or across.")
      .def_ro("period", &trace::PatternRepeat::period, "Rows or columns.")
      .def_ro("count", &trace::PatternRepeat::count, "Patterns in the tile.")
      .def_ro("slots", &trace::PatternRepeat::slots, "From one to the next, where always the same; else None.");
  nb::class_<MapAnswer, Answer>(m, "TileMap", "Where one thread's elements lie on the CTA's tile.")
      .def_prop_ro(
          "operand", [](const MapAnswer& a) { return cli::operand_name(a.map.operand); }, "\"A\", \"B\" or \"D\".")
      .def_prop_ro(
          "thread", [](const MapAnswer& a) { return a.map.thread; }, "Of the CTA.")
      .def_prop_ro(
          "shape", [](const MapAnswer& a) { return std::pair(a.map.rows, a.map.columns); }, "Rows and columns.")
      .def_prop_ro(
          "down", [](const MapAnswer& a) { return a.map.down; }, "How the pattern repeats down.")
      .def_prop_ro(
          "across", [](const MapAnswer& a) { return a.map.across; }, "How the pattern repeats across.")
      .def(
          "__getitem__",
          [](const MapAnswer& a, const std::pair<std::int64_t, std::int64_t>& at) -> std::optional<std::int64_t> {
            if (at.first < 0 || at.first >= a.map.rows || at.second < 0 || at.second >= a.map.columns) {
              throw nb::index_error("outside of the tile");
            }
            const std::int64_t slot = a.map.at(at.first, at.second);
            return slot < 0 ? std::nullopt : std::optional(slot);
          },
          nb::arg("at"), "The slot of the element (row, column) in the thread's fragment; None: another thread's.");
}

}  // namespace tileloom::python
