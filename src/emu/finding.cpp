// SPDX-License-Identifier: Apache-2.0
#include "tileloom/emu/finding.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tileloom::emu {
namespace {

std::string thread_text(const RacingAccess& access) {
  return fmt::format("warp {} lane {}", access.warp, access.lane);
}

std::string cta_text(const RacingAccess& access) {
  return fmt::format("CTA ({},{},{})", access.cta[0], access.cta[1], access.cta[2]);
}

// `shared bytes 0..15 of CTA (0,0,0)`, `bytes 0..15 of D`.
template <class Found>
std::string bytes_text(const Found& found, const RacingAccess& who) {
  if (found.buffer.empty()) {
    return fmt::format("shared bytes {}..{} of {}", found.first_byte, found.last_byte, cta_text(who));
  }
  return fmt::format("bytes {}..{} of {}", found.first_byte, found.last_byte, found.buffer);
}

std::string times(std::uint64_t count) {
  return fmt::format("{} time{}", count, count == 1 ? "" : "s");
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
    case Remedy::other_launch:
      return "nothing orders two CTAs of one launch but a release at gpu scope in the first and an acquire of it in "
             "the "
             "second; or let the second be another launch";
    case Remedy::wider_scope:
      return "atomics of .cta scope exclude threads of one CTA only: .gpu scope would exclude those of others too";
    case Remedy::one_lane:
      return fmt::format(
          "lanes {} and {} store different values at once and one of them is lost: only one lane may store",
          f.first.lane, f.second.lane);
    default:
      return fmt::format("nothing orders them: a {} between them would", barrier_for(f));
  }
}

std::string to_string(const Finding& f) {
  const std::string first_place = to_string(f.first.at);
  const std::string second_place = to_string(f.second.at);
  const std::size_t opcode = std::max(f.first.at.opcode.size(), f.second.at.opcode.size());
  const std::size_t place = std::max(first_place.size(), second_place.size());
  const bool name_ctas = !f.buffer.empty();
  const auto line = [&](const RacingAccess& access, const std::string& at) {
    return fmt::format("  {:<6}  {:<{}}  {:<{}}  {}{}\n", to_string(access.verb), access.at.opcode, opcode, at, place,
                       name_ctas ? cta_text(access) + " " : "", thread_text(access));
  };
  const std::string pairs =
      f.instruction_pairs == 1 ? "" : fmt::format(", {} pairs of PTX instructions", f.instruction_pairs);
  return fmt::format("race: {}, {}, {}{}\n{}{}  {}", to_string(f.hazard), bytes_text(f, f.second), times(f.occurrences),
                     pairs, line(f.first, first_place), line(f.second, second_place), explain_remedy(f));
}

std::string to_string(const UninitialisedRead& read) {
  const bool shared = read.buffer.empty();
  return fmt::format(
      "uninitialised read, {}, {}\n"
      "  {:<6}  {}  {}  {}{}\n"
      "  {}",
      bytes_text(read, read.reader), times(read.occurrences), to_string(read.reader.verb), read.reader.at.opcode,
      to_string(read.reader.at), shared ? "" : cta_text(read.reader) + " ", thread_text(read.reader),
      shared ? "nothing has written these bytes in this CTA"
             : "neither the host nor this launch has written these bytes");
}

}  // namespace tileloom::emu
