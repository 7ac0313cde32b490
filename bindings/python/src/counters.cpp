// SPDX-License-Identifier: Apache-2.0
// What a launch executed and what its accesses cost.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/arguments.hpp"
#include "cli/counters_json.hpp"
#include "emu/isa/families.hpp"
#include "json.hpp"
#include "render/counters_text.hpp"
#include "run.hpp"
#include "text/suggest.hpp"
#include "tileloom/error.hpp"

namespace tileloom::python {

namespace {

std::string counters_text(const emu::Counters& counters, const std::string& by) {
  const auto how = cli::parse_word("by", by, {"line", "instruction"}) == 1 ? render::CountersBy::instruction
                                                                           : render::CountersBy::line;
  return text_of([&](std::ostream& out) { render::counters_text(out, counters, how); });
}

const std::vector<std::string> spaces{"shared", "global", "local", "param", "const"};

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::ranges::find(words, word) != words.end();
}

// What `by_class` can call a total.
std::vector<std::string> class_names() {
  using emu::AccessClass;
  std::vector<std::string> names;
  for (const auto access : {AccessClass::load, AccessClass::store, AccessClass::atomic}) {
    const std::string name(to_string(access));
    names.insert(names.end(), {name, name + ".shared", name + ".global"});
  }
  for (const auto access : {AccessClass::ldmatrix, AccessClass::stmatrix, AccessClass::cp_async, AccessClass::none}) {
    names.emplace_back(to_string(access));
  }
  return names;
}

// Of `mma.sync.aligned`: `mma` and `sync`.
std::pair<std::string, std::string> first_words(const std::string& opcode) {
  const std::size_t dot = std::min(opcode.find('.'), opcode.size());
  const std::size_t end = std::min(opcode.find('.', std::min(dot + 1, opcode.size())), opcode.size());
  return {opcode.substr(0, dot), dot == end ? "" : opcode.substr(dot + 1, end - dot - 1)};
}

// Whether it may begin an opcode of another kernel: the emulator knows the instruction, and it is no way to memory
// misspelt, as `ld.gobal` is.
bool may_be_opcode(const std::string& name, const std::vector<std::string>& ways) {
  const auto [root, modifier] = first_words(name);
  const auto is_root = [&r = root](const emu::DecodeEntry& entry) { return entry.root == r; };
  if (std::ranges::none_of(emu::all_instructions(), is_root)) {
    return false;
  }
  if (modifier.empty()) {
    return name == root;
  }
  const std::string begin = root + "." + modifier;
  return is_one_of(modifier, spaces) || is_one_of(begin, ways) || nearest(begin, ways).empty();
}

emu::ClassCount of_opcode(const emu::Counters& counters, const std::string& name) {
  emu::ClassCount sum;
  sum.name = name;
  for (const emu::InstructionCount& i : counters.instructions) {
    if (i.at.opcode == name || i.at.opcode.starts_with(name + ".")) {
      sum.executions += i.executions;
      sum.lanes += i.lanes;
      sum.shared += i.shared;
      sum.global += i.global;
    }
  }
  return sum;
}

emu::ClassCount total(const emu::Counters& counters, const std::string& name) {
  for (emu::ClassCount& one : by_class(counters)) {
    if (one.name == name) {
      return std::move(one);
    }
  }
  const std::vector<std::string> ways = class_names();
  emu::ClassCount none;
  none.name = name;
  emu::ClassCount sum = is_one_of(name, ways) ? none : of_opcode(counters, name);
  if (sum.executions == 0 && !is_one_of(name, ways) && !may_be_opcode(name, ways)) {
    const auto [root, modifier] = first_words(name);
    const std::string hint = did_you_mean(modifier.empty() ? root : root + "." + modifier, ways);
    throw Error(ErrorKind::bad_input,
                fmt::format("total: expected a way to memory or the beginning of an opcode, found '{}'", name),
                hint.empty() ? fmt::format("ways to memory are {}", fmt::join(ways, ", ")) : hint);
  }
  return sum;
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
          "\"ld\", \"st\", \"ldmatrix\", \"stmatrix\", \"cp.async\", \"atomic\" or \"other\".")
      .def("__repr__", [](const emu::InstructionCount& i) {
        return fmt::format("<tileloom.InstructionCount {} at {}, {} executions>", i.at.opcode, to_string(i.at),
                           i.executions);
      });
  add_counts(instruction);
  nb::class_<emu::LineCount> line(m, "LineCount", "The instructions of one source line.");
  line.def_ro("file", &emu::LineCount::file, "Without its folder.")
      .def_ro("line", &emu::LineCount::line, "Of PTX where that names no source line.")
      .def_ro("opcodes", &emu::LineCount::opcodes, "Of its accesses of memory.")
      .def_ro("instructions", &emu::LineCount::instructions, "Of PTX.")
      .def("__repr__", [](const emu::LineCount& l) {
        return fmt::format("<tileloom.LineCount {}:{}, {} executions>", l.file, l.line, l.executions);
      });
  add_counts(line);
  nb::class_<emu::ClassCount> access(m, "AccessCount", "All instructions that reach memory in one way.");
  access.def_ro("name", &emu::ClassCount::name, "Such as `ld.shared`, `cp.async`, `other`.")
      .def("__repr__", [](const emu::ClassCount& c) {
        return fmt::format("<tileloom.AccessCount {}, {} executions>", c.name, c.executions);
      });
  add_counts(access);
  nb::class_<emu::Counters> counters(m, "Counters", "What a launch executed; its text is that of `--counters`.");
  counters.def_ro("instructions", &emu::Counters::instructions, "Those executed, in the order of the module.")
      .def_prop_ro(
          "lines", [](const emu::Counters& c) { return by_line(c); }, "By file, then line.")
      .def_prop_ro(
          "totals", [](const emu::Counters& c) { return by_class(c); }, "By the way to memory.")
      .def("total", &total, nb::arg("name"),
           "The total of this name among `totals`, such as `cp.async`, or of the opcodes that begin with it, such as\n"
           "`mma.sync`; zeros where nothing of it was executed.")
      .def("text", &counters_text, nb::arg("by") = "line", "A table by \"line\" or by \"instruction\".")
      .def(
          "to_dict", [](const emu::Counters& c) { return to_python(cli::counters_json(c)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "The field `counters` of the command's JSON.")
      .def("__str__", [](const emu::Counters& c) { return counters_text(c, "line"); })
      .def("__repr__", [](const emu::Counters& c) {
        return fmt::format("<tileloom.Counters of {} instructions>", c.instructions.size());
      });
  def_equality(counters, [](const emu::Counters& c) { return cli::counters_json(c); });
}

}  // namespace tileloom::python
