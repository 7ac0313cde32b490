// SPDX-License-Identifier: Apache-2.0
// Races and uninitialised reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/finding_json.hpp"
#include "json.hpp"
#include "run.hpp"

namespace tileloom::python {

namespace {

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::object(nb::none()) : nb::object(nb::str(text.c_str(), text.size()));
}

// Of the source, or of the PTX where that names no source.
std::string file_of(const emu::InstructionPlace& at) {
  return at.file.empty() ? at.ptx_file : at.file;
}
std::uint32_t line_of(const emu::InstructionPlace& at) {
  return at.file.empty() ? at.ptx_line : at.line;
}

nb::object one(const cli::Json& all) {
  return to_python(all.front());
}

}  // namespace

void bind_findings(nb::module_& m) {
  nb::class_<emu::InstructionPlace>(m, "InstructionPlace", "An instruction, in the source and in PTX.")
      .def_ro("opcode", &emu::InstructionPlace::opcode, "As in PTX.")
      .def_ro("file", &emu::InstructionPlace::file, "Of the source, without its folder; empty where PTX names none.")
      .def_ro("line", &emu::InstructionPlace::line, "Of the source; 0 where PTX names none.")
      .def_ro("ptx_file", &emu::InstructionPlace::ptx_file, "What the module is called.")
      .def_ro("ptx_line", &emu::InstructionPlace::ptx_line, "In the PTX.")
      .def("__str__", [](const emu::InstructionPlace& p) { return to_string(p); })
      .def("__repr__", [](const emu::InstructionPlace& p) { return "<" + p.opcode + " " + to_string(p) + ">"; });
  nb::class_<emu::RacingAccess>(m, "Access", "One access of memory by one thread.")
      .def_prop_ro(
          "verb", [](const emu::RacingAccess& a) { return std::string(to_string(a.verb)); },
          "\"read\", \"write\", \"update\" or \"copy\".")
      .def_ro("at", &emu::RacingAccess::at, "The instruction.")
      .def_ro("warp", &emu::RacingAccess::warp, "Of the CTA.")
      .def_ro("lane", &emu::RacingAccess::lane, "Of the warp.")
      .def_ro("cta", &emu::RacingAccess::cta, "(x, y, z).")
      .def("__repr__", [](const emu::RacingAccess& a) {
        return fmt::format("<tileloom.Access {} at {}, CTA ({}), warp {}, lane {}>", to_string(a.verb), to_string(a.at),
                           fmt::join(a.cta, ","), a.warp, a.lane);
      });
  nb::class_<emu::Finding> race(m, "Race", "Two accesses that nothing orders.");
  race.def_prop_ro(
          "kind", [](const emu::Finding&) { return "race"; }, "\"race\".")
      .def_prop_ro(
          "hazard", [](const emu::Finding& f) { return std::string(to_string(f.hazard)); },
          "\"read after write\", ...: the order in which the emulator ran them; a GPU may run them in the other.")
      .def_ro("first", &emu::Finding::first, "The access that ran first.")
      .def_ro("second", &emu::Finding::second, "The other.")
      .def_prop_ro(
          "buffer", [](const emu::Finding& f) { return text_or_none(f.buffer); },
          nb::sig("def buffer(self) -> str | None"), "Of global memory; None: shared memory.")
      .def_ro("first_byte", &emu::Finding::first_byte, "Of the buffer, or of the CTA's shared memory.")
      .def_ro("last_byte", &emu::Finding::last_byte, "Inclusive.")
      .def_ro("occurrences", &emu::Finding::occurrences, "How often.")
      .def_ro("instruction_pairs", &emu::Finding::instruction_pairs, "Of PTX instructions.")
      .def_prop_ro(
          "file", [](const emu::Finding& f) { return file_of(f.second.at); },
          "Of the later access; the PTX's where it names none.")
      .def_prop_ro(
          "line", [](const emu::Finding& f) { return line_of(f.second.at); }, "Of the later access, in that file.")
      .def_prop_ro(
          "remedy", [](const emu::Finding& f) { return explain_remedy(f); }, "What would order them.")
      .def_prop_ro(
          "text", [](const emu::Finding& f) { return to_string(f); }, "As the command prints it.")
      .def(
          "to_dict", [](const emu::Finding& f) { return one(cli::findings_json({f})); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "As in the command's JSON.")
      .def("__str__", [](const emu::Finding& f) { return to_string(f); })
      .def("__repr__", &summary);
  def_equality(race, [](const emu::Finding& f) { return cli::findings_json({f}); });
  nb::class_<emu::UninitialisedRead> read(m, "UninitialisedRead", "A read of bytes that nothing has written.");
  read.def_prop_ro(
          "kind", [](const emu::UninitialisedRead&) { return "uninitialised read"; }, "\"uninitialised read\".")
      .def_ro("reader", &emu::UninitialisedRead::reader, "The access.")
      .def_prop_ro(
          "buffer", [](const emu::UninitialisedRead& r) { return text_or_none(r.buffer); },
          nb::sig("def buffer(self) -> str | None"), "Of global memory; None: shared memory.")
      .def_ro("first_byte", &emu::UninitialisedRead::first_byte, "Of the buffer, or of the CTA's shared memory.")
      .def_ro("last_byte", &emu::UninitialisedRead::last_byte, "Inclusive.")
      .def_ro("occurrences", &emu::UninitialisedRead::occurrences, "How often.")
      .def_prop_ro(
          "file", [](const emu::UninitialisedRead& r) { return file_of(r.reader.at); },
          "Of the reader; the PTX's where it names none.")
      .def_prop_ro(
          "line", [](const emu::UninitialisedRead& r) { return line_of(r.reader.at); }, "Of the reader, in that file.")
      .def_prop_ro(
          "text", [](const emu::UninitialisedRead& r) { return to_string(r); }, "As the command prints it.")
      .def(
          "to_dict", [](const emu::UninitialisedRead& r) { return one(cli::uninitialised_reads_json({r})); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "As in the command's JSON.")
      .def("__str__", [](const emu::UninitialisedRead& r) { return to_string(r); })
      .def("__repr__", &summary);
  def_equality(read, [](const emu::UninitialisedRead& r) { return cli::uninitialised_reads_json({r}); });
}

}  // namespace tileloom::python
