// SPDX-License-Identifier: Apache-2.0
#include "emu/machine/stuck.hpp"

#include <fmt/format.h>
#include <bit>

#include "emu/machine/program.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

const Program& program_of(const Cta& cta) {
  return *cta.launch->program;
}

std::string cta_name(const Cta& cta) {
  return fmt::format("CTA ({},{},{})", cta.index.x, cta.index.y, cta.index.z);
}

std::string at(const Cta& cta, std::uint32_t op) {
  return program_of(cta).opcode(op) + " at " + program_of(cta).place(op);
}

// Lanes that are at the same place in the same state.
std::uint32_t like(const Warp& w, unsigned lane) {
  std::uint32_t mask = 0;
  for_lanes(w.live, [&](unsigned other) {
    const bool same = w.lane_pc[other] == w.lane_pc[lane] && (w.blocked >> other & 1) == (w.blocked >> lane & 1);
    if (same) mask |= 1U << other;
  });
  return mask;
}

// `; lanes 0-15 wait at bar.sync at f.cu:3 (f.ptx:10); lanes 16-31 have exited`
std::string where_others_are(const Warp& w, std::uint32_t arrived) {
  std::string text;
  std::uint32_t rest = w.live & ~arrived;
  while (rest != 0) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t together = like(w, lane) & rest;
    rest &= ~together;
    text += fmt::format("; lanes {} {} {}", lane_list(together), (w.blocked >> lane & 1) != 0 ? "wait at" : "are at",
                        at(*w.cta, w.lane_pc[lane]));
  }
  const std::uint32_t gone = w.exists & ~w.live;
  if (gone != 0) text += fmt::format("; lanes {} have exited", lane_list(gone));
  if (w.exists != all_lanes) text += fmt::format("; lanes {} do not exist", lane_list(~w.exists));
  return text;
}

[[noreturn]] void fail_divergence(const Warp& w, std::uint32_t arrived, std::uint32_t needed) {
  const auto lane = static_cast<unsigned>(std::countr_zero(arrived));
  throw Error(ErrorKind::check_failed,
              fmt::format("divergence: {} needs lanes {} of warp {}, {}: only lanes {} have come{}",
                          at(*w.cta, w.lane_pc[lane]), lane_list(needed), w.index, cta_name(*w.cta), lane_list(arrived),
                          where_others_are(w, arrived)));
}

std::string waiting_warps(const Cta& cta) {
  std::string text;
  for (const Warp& w : cta.warps) {
    if (w.live == 0) {
      text += fmt::format("; warp {} has exited", w.index);
      continue;
    }
    std::uint32_t rest = w.live;
    while (rest != 0) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint32_t together = like(w, lane) & rest;
      rest &= ~together;
      const std::string who = together == w.live ? fmt::format("warp {}", w.index)
                                                 : fmt::format("warp {} lanes {}", w.index, lane_list(together));
      const Wait& wait = w.wait[lane];
      const Barrier& barrier = cta.barriers[wait.barrier];
      text += fmt::format("; {} waits at barrier {} ({} of {} threads), {}", who, wait.barrier, barrier.arrived,
                          barrier.expected, at(cta, w.lane_pc[lane]));
    }
  }
  return text;
}

}  // namespace

std::string lane_list(std::uint32_t mask) {
  if (mask == 0) return "none";
  std::string text;
  for (unsigned begin = 0; begin < lanes;) {
    if ((mask >> begin & 1) == 0) {
      ++begin;
      continue;
    }
    unsigned end = begin;
    while (end + 1 < lanes && (mask >> (end + 1) & 1) != 0) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(begin) + (end > begin ? "-" + std::to_string(end) : "");
    begin = end + 1;
  }
  return text;
}

void fail_stuck(const Cta& cta) {
  for (const Warp& w : cta.warps) {
    std::uint32_t collective = 0;
    for_lanes(w.live & w.blocked, [&](unsigned lane) {
      if (w.wait[lane].kind != Wait::Kind::cta_barrier) collective |= 1U << lane;
    });
    if (collective == 0) continue;
    const auto lane = static_cast<unsigned>(std::countr_zero(collective));
    const std::uint32_t members = w.wait[lane].members;
    const std::uint32_t needed = members == all_lanes ? w.live : members;
    fail_divergence(w, like(w, lane) & collective, needed);
  }
  throw Error(ErrorKind::check_failed,
              fmt::format("deadlock: no warp of {} can go on{}", cta_name(cta), waiting_warps(cta)));
}

void fail_incomplete_warp(const Warp& w, std::uint32_t exec) {
  throw Error(ErrorKind::check_failed,
              fmt::format("divergence: {} needs lanes 0-31 of warp {}, {}: only lanes {} have come{}", at(*w.cta, w.pc),
                          w.index, cta_name(*w.cta), lane_list(exec), where_others_are(w, exec)));
}

void fail_limit(const Cta& cta, std::uint64_t limit) {
  for (const Warp& w : cta.warps) {
    if (w.live == 0) continue;
    throw Error(
        ErrorKind::check_failed,
        fmt::format("instruction limit: {} has run more than {} warp instructions; warp {} is at {}", cta_name(cta),
                    limit, w.index, at(cta, w.lane_pc[static_cast<unsigned>(std::countr_zero(w.live))])));
  }
  throw Error(ErrorKind::check_failed,
              fmt::format("instruction limit: {} has run more than {} warp instructions", cta_name(cta), limit));
}

}  // namespace tileloom::emu
