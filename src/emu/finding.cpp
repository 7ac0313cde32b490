// SPDX-License-Identifier: Apache-2.0
#include "tileloom/emu/finding.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tileloom::emu {
namespace {

std::string thread_text(const RacingAccess& access) {
  return fmt::format("warp {} lane {}", access.warp, access.lane);
}

const char* barrier_for(const Finding& f) {
  return f.first.warp == f.second.warp ? "bar.warp.sync" : "bar.sync";
}

}  // namespace

std::string_view to_string(Hazard hazard) {
  switch (hazard) {
    case Hazard::read_after_write:
      return "read after write";
    case Hazard::write_after_read:
      return "write after read";
    default:
      return "write after write";
  }
}

std::string_view to_string(AccessVerb verb) {
  switch (verb) {
    case AccessVerb::read:
      return "read";
    case AccessVerb::write:
      return "write";
    case AccessVerb::update:
      return "update";
    default:
      return "copy";
  }
}

std::string to_string(const InstructionPlace& place) {
  const std::string ptx = fmt::format("{}:{}", place.ptx_file, place.ptx_line);
  return place.file.empty() ? ptx : fmt::format("{}:{} ({})", place.file, place.line, ptx);
}

std::string explain_remedy(const Finding& f) {
  const std::string copier = thread_text(f.first);
  switch (f.remedy) {
    case Remedy::wait:
      return fmt::format(
          "nothing orders them: {} has not waited for its copy; a cp.async.wait_group that completes the "
          "copy's group between them would",
          copier);
    case Remedy::wait_and_barrier:
      return fmt::format(
          "nothing orders them: {} has not waited for its copy; a cp.async.wait_group that completes the "
          "copy's group and then a {} would",
          copier, barrier_for(f));
    case Remedy::barrier_after_wait:
      return fmt::format(
          "nothing orders them: {} has waited for its copy, {} has not heard of it; a {} after the wait "
          "would",
          copier, thread_text(f.second), barrier_for(f));
    default:
      return fmt::format("nothing orders them: a {} between them would", barrier_for(f));
  }
}

std::string to_string(const Finding& f) {
  const std::string first_place = to_string(f.first.at);
  const std::string second_place = to_string(f.second.at);
  const std::size_t opcode = std::max(f.first.at.opcode.size(), f.second.at.opcode.size());
  const std::size_t place = std::max(first_place.size(), second_place.size());
  const auto line = [&](const RacingAccess& access, const std::string& at) {
    return fmt::format("  {:<6}  {:<{}}  {:<{}}  {}\n", to_string(access.verb), access.at.opcode, opcode, at, place,
                       thread_text(access));
  };
  const std::string pairs =
      f.instruction_pairs == 1 ? "" : fmt::format(", {} pairs of PTX instructions", f.instruction_pairs);
  return fmt::format("race: {}, shared bytes {}..{} of CTA ({},{},{}), {} time{}{}\n{}{}  {}", to_string(f.hazard),
                     f.first_byte, f.last_byte, f.cta[0], f.cta[1], f.cta[2], f.occurrences,
                     f.occurrences == 1 ? "" : "s", pairs, line(f.first, first_place), line(f.second, second_place),
                     explain_remedy(f));
}

std::string to_string(const UninitialisedRead& read) {
  return fmt::format(
      "uninitialised read, shared bytes {}..{} of CTA ({},{},{}), {} time{}\n"
      "  {:<6}  {}  {}  {}\n"
      "  nothing has written these bytes in this CTA",
      read.first_byte, read.last_byte, read.cta[0], read.cta[1], read.cta[2], read.occurrences,
      read.occurrences == 1 ? "" : "s", to_string(read.reader.verb), read.reader.at.opcode, to_string(read.reader.at),
      thread_text(read.reader));
}

}  // namespace tileloom::emu
