// SPDX-License-Identifier: Apache-2.0
// What a launch executed and what its accesses cost.
#include "bindings.hpp"
#include "casts.hpp"
#include "cli/arguments.hpp"
#include "cli/counters_json.hpp"
#include "json.hpp"
#include "render/counters_text.hpp"
#include "run.hpp"

namespace tileloom::python {

namespace {

std::string counters_text(const emu::Counters& counters, const std::string& by) {
  const auto how = cli::parse_word("by", by, {"line", "instruction"}) == 1 ? render::CountersBy::instruction
                                                                           : render::CountersBy::line;
  return text_of([&](std::ostream& out) { render::counters_text(out, counters, how); });
}

template <class Counted>
void add_counts(nb::class_<Counted>& c) {
  c.def_ro("executions", &Counted::executions, "By a warp, or by a part of one where lanes diverge.")
      .def_ro("lanes", &Counted::lanes, "That executed.")
      .def_ro("shared", &Counted::shared, "Accesses of shared memory.")
      .def_prop_ro(
          "global_memory", [](const Counted& i) { return i.global; }, "Accesses of global memory.");
}

}  // namespace

void bind_counters(nb::module_& m) {
  nb::class_<emu::SharedCount>(m, "SharedCount", "Accesses of shared memory.")
      .def_ro("requests", &emu::SharedCount::requests, "Warp instructions with a lane in shared memory.")
      .def_ro("wavefronts_low", &emu::SharedCount::wavefronts_low, "They cost at least so many.")
      .def_ro("wavefronts_high", &emu::SharedCount::wavefronts_high, "They cost at most so many.")
      .def_ro("exact", &emu::SharedCount::exact, "Whether both are the same by rules that measurements settle.")
      .def_ro("profiled_wavefronts", &emu::SharedCount::profiled, "What Nsight Compute shows.")
      .def_ro("ideal_wavefronts", &emu::SharedCount::ideal, "The same instructions without a conflict.")
      .def_ro("bytes", &emu::SharedCount::bytes, "That lanes read or wrote.")
      .def_ro("bank_words", &emu::SharedCount::bank_words, "Distinct words of each of 32 banks, over all requests.");
  nb::class_<emu::GlobalCount>(m, "GlobalCount", "Accesses of global memory.")
      .def_ro("requests", &emu::GlobalCount::requests, "Warp instructions with a lane in global memory.")
      .def_ro("sectors", &emu::GlobalCount::sectors, "Distinct blocks of 32 bytes of each request.")
      .def_ro("ideal_sectors", &emu::GlobalCount::ideal_sectors, "The fewest for their bytes.")
      .def_ro("bytes", &emu::GlobalCount::bytes, "That lanes read or wrote.");
  nb::class_<emu::InstructionCount> instruction(m, "InstructionCount", "One PTX instruction.");
  instruction.def_ro("at", &emu::InstructionCount::at, "Where it stands.")
      .def_prop_ro(
          "access", [](const emu::InstructionCount& i) { return std::string(to_string(i.access)); },
          "\"ld\", \"st\", \"ldmatrix\", \"stmatrix\", \"cp.async\", \"atomic\" or \"other\".");
  add_counts(instruction);
  nb::class_<emu::LineCount> line(m, "LineCount", "The instructions of one source line.");
  line.def_ro("file", &emu::LineCount::file, "Without its folder.")
      .def_ro("line", &emu::LineCount::line, "Of PTX where that names no source line.")
      .def_ro("opcodes", &emu::LineCount::opcodes, "Of its accesses of memory.")
      .def_ro("instructions", &emu::LineCount::instructions, "Of PTX.");
  add_counts(line);
  nb::class_<emu::ClassCount> access(m, "AccessCount", "All instructions that reach memory in one way.");
  access.def_ro("name", &emu::ClassCount::name, "Such as `ld.shared`, `cp.async`, `other`.");
  add_counts(access);
  nb::class_<emu::Counters> counters(m, "Counters", "What a launch executed; its text is that of `--counters`.");
  counters.def_ro("instructions", &emu::Counters::instructions, "Those executed, in the order of the module.")
      .def_prop_ro(
          "lines", [](const emu::Counters& c) { return by_line(c); }, "By file, then line.")
      .def_prop_ro(
          "totals", [](const emu::Counters& c) { return by_class(c); }, "By the way to memory.")
      .def(
          "total",
          [](const emu::Counters& c, const std::string& name) {
            for (emu::ClassCount& one : by_class(c)) {
              if (one.name == name) {
                return std::move(one);
              }
            }
            emu::ClassCount none;
            none.name = name;
            return none;
          },
          nb::arg("name"), "The total of this name, such as `cp.async`; zeros where nothing of it was executed.")
      .def("text", &counters_text, nb::arg("by") = "line", "A table by \"line\" or by \"instruction\".")
      .def(
          "to_dict", [](const emu::Counters& c) { return to_python(cli::counters_json(c)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "The field `counters` of the command's JSON.")
      .def("__str__", [](const emu::Counters& c) { return counters_text(c, "line"); });
  def_equality(counters, [](const emu::Counters& c) { return cli::counters_json(c); });
}

}  // namespace tileloom::python
