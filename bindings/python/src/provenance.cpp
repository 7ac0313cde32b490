// SPDX-License-Identifier: Apache-2.0
// Where an element went in a run.
#include <fmt/format.h>

#include "bindings.hpp"
#include "casts.hpp"
#include "cli/follow.hpp"
#include "json.hpp"
#include "run.hpp"

namespace tileloom::python {

namespace {

std::vector<int> lanes_of(std::uint32_t mask) {
  std::vector<int> lanes;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) != 0) {
      lanes.push_back(lane);
    }
  }
  return lanes;
}

std::string words(const emu::MemoryPlace& place) {
  return fmt::format("byte {} of {}", place.byte, place.buffer.empty() ? "shared memory" : place.buffer);
}

std::string words(const emu::FollowedMove& move) {
  std::string text = fmt::format("{} at {}, CTA {}, warp {}, lane {}", to_string(move.kind), to_string(move.at),
                                 move.cta, move.warp, move.lane);
  if (!move.reg.empty()) {
    text += fmt::format(", {}[{}:{}]", move.reg, move.high, move.low);
  }
  return text;
}

}  // namespace

void bind_provenance(nb::module_& m) {
  nb::class_<emu::MemoryPlace>(m, "MemoryPlace", "A byte of a buffer, or of the CTA's shared memory.")
      .def_ro("buffer", &emu::MemoryPlace::buffer, "Empty: shared memory.")
      .def_ro("byte", &emu::MemoryPlace::byte, "Of it.")
      .def("__repr__", [](const emu::MemoryPlace& p) { return "<tileloom.MemoryPlace " + words(p) + ">"; });
  nb::class_<emu::FollowedMove>(m, "FollowedMove", "An instruction that moved the element.")
      .def_prop_ro(
          "kind", [](const emu::FollowedMove& f) { return std::string(to_string(f.kind)); },
          "\"load\", \"store\", \"copy\", \"ldmatrix\", \"stmatrix\", \"move\", \"convert\" or \"operand\".")
      .def_ro("at", &emu::FollowedMove::at, "The instruction.")
      .def_ro("cta", &emu::FollowedMove::cta, "Its number, x fastest.")
      .def_ro("warp", &emu::FollowedMove::warp, "Of the CTA.")
      .def_ro("lane", &emu::FollowedMove::lane, "That holds it afterwards; of stores and operands before.")
      .def_ro("source_lane", &emu::FollowedMove::source_lane, "Of ldmatrix: whose address gives the row.")
      .def_ro("from_place", &emu::FollowedMove::from, "In memory, or None.")
      .def_ro("to_place", &emu::FollowedMove::to, "In memory, or None.")
      .def_ro("register", &emu::FollowedMove::reg, "The operand; of mma.sync PTX's name, `a2`; empty: none.")
      .def_prop_ro(
          "bits", [](const emu::FollowedMove& f) { return std::pair(f.high, f.low); }, "(highest, lowest) of it.")
      .def_ro("times", &emu::FollowedMove::times, "How often.")
      .def("__repr__", [](const emu::FollowedMove& f) { return "<tileloom.FollowedMove " + words(f) + ">"; });
  nb::class_<emu::FollowedSums>(m, "FollowedSums", "Results of an mma.sync that the element is a factor of.")
      .def_ro("at", &emu::FollowedSums::at, "The instruction.")
      .def_ro("cta", &emu::FollowedSums::cta, "Its number, x fastest.")
      .def_ro("warp", &emu::FollowedSums::warp, "Of the CTA.")
      .def_prop_ro(
          "lanes", [](const emu::FollowedSums& f) { return lanes_of(f.lanes); }, "That hold them.")
      .def_ro("values", &emu::FollowedSums::values, "c0 ...: which of the lanes' results.")
      .def_ro("times", &emu::FollowedSums::times, "How often.")
      .def("__repr__", [](const emu::FollowedSums& f) {
        return fmt::format("<tileloom.FollowedSums at {}, CTA {}, warp {}, {} lanes>", to_string(f.at), f.cta, f.warp,
                           lanes_of(f.lanes).size());
      });
  nb::class_<emu::FollowedResult>(m, "FollowedResult", "Where the element, or what was made of it, was stored.")
      .def_prop_ro(
          "buffer", [](const emu::FollowedResult& r) { return r.at.buffer; }, "Its name.")
      .def_prop_ro(
          "byte", [](const emu::FollowedResult& r) { return r.at.byte; }, "Of the buffer.")
      .def_prop_ro(
          "derived", [](const emu::FollowedResult& r) { return r.name == 0; },
          "Whether it was made of the element; else it is the element.")
      .def_ro("cta", &emu::FollowedResult::cta, "That stored it.")
      .def_ro("warp", &emu::FollowedResult::warp, "That stored it.")
      .def_ro("lane", &emu::FollowedResult::lane, "That stored it.")
      .def("__repr__", [](const emu::FollowedResult& r) {
        return fmt::format("<tileloom.FollowedResult {}, CTA {}, warp {}, lane {}>", words(r.at), r.cta, r.warp,
                           r.lane);
      });
  nb::class_<emu::Provenance> provenance(m, "Provenance", "The way of one element through a run.");
  provenance.def_ro("moves", &emu::Provenance::moves, "In the order in which they first happened.")
      .def_ro("sums", &emu::Provenance::sums, "Likewise.")
      .def_ro("results", &emu::Provenance::results, "By place.")
      .def(
          "to_dict", [](const emu::Provenance& p) { return to_python(cli::provenance_json(p)); },
          nb::sig("def to_dict(self) -> dict[str, typing.Any]"), "The field `followed` of the command's JSON.")
      .def("__repr__", [](const emu::Provenance& p) {
        return fmt::format("<tileloom.Provenance of {} moves, {} sums, {} results>", p.moves.size(), p.sums.size(),
                           p.results.size());
      });
  def_equality(provenance, [](const emu::Provenance& p) { return cli::provenance_json(p); });
}

}  // namespace tileloom::python
