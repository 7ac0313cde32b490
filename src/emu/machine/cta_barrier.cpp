// SPDX-License-Identifier: Apache-2.0
#include "emu/machine/cta_barrier.hpp"

#include <bit>

#include "emu/machine/barrier_mode.hpp"
#include "emu/machine/program.hpp"

namespace tileloom::emu {
namespace {

std::uint32_t rounded_threads(const Cta& cta) {
  return static_cast<std::uint32_t>(cta.warps.size()) * lanes;
}

template <class F>
void for_waiting(Cta& cta, std::uint8_t id, F f) {
  for (Warp& w : cta.warps) {
    for_lanes(w.blocked, [&](unsigned lane) {
      const Wait& wait = w.wait[lane];
      if (wait.kind == Wait::Kind::cta_barrier && wait.barrier == id) f(w, lane);
    });
  }
}

void write_result(Warp& w, unsigned lane, const Barrier& barrier) {
  const Op& op = w.cta->launch->program->ops[w.lane_pc[lane]];
  if (!op.d.used()) return;
  std::byte* frame = w.frames[w.depth[lane]].registers.get() + op.d.value();
  const BarrierMode mode = BarrierMode::unpack(op.mode);
  auto* to = reinterpret_cast<std::uint32_t*>(frame);
  if (mode.action == BarrierMode::reduce_popc) {
    to[lane] = barrier.count;
    return;
  }
  const bool value = mode.action == BarrierMode::reduce_and ? barrier.all : barrier.any;
  *to = (*to & ~(1U << lane)) | std::uint32_t{value} << lane;
}

void release(Cta& cta, std::uint8_t id) {
  Barrier& barrier = cta.barriers[id];
  for_waiting(cta, id, [&](Warp& w, unsigned lane) {
    write_result(w, lane, barrier);
    w.blocked &= ~(1U << lane);
    w.wait[lane] = {};
    ++w.lane_pc[lane];
  });
  barrier = {};
}

bool complete(Cta& cta, std::uint8_t id) {
  const Barrier& barrier = cta.barriers[id];
  if (!barrier.in_use) return false;
  if (barrier.counted) return barrier.arrived >= barrier.expected;
  std::uint32_t live = 0;
  for (const Warp& w : cta.warps) live += static_cast<std::uint32_t>(std::popcount(w.live));
  std::uint32_t waiting = 0;
  for_waiting(cta, id, [&](Warp&, unsigned) { ++waiting; });
  return waiting == live;
}

// The barrier as a mask when it was complete.
std::uint32_t release_if_complete(Cta& cta, std::uint8_t id) {
  if (!complete(cta, id)) return 0;
  release(cta, id);
  return 1U << id;
}

// A value that all executing lanes must agree on.
std::uint32_t uniform(const Warp& w, Slot slot, const std::string& what) {
  const auto* values = w.reg<std::uint32_t>(slot);
  const std::uint32_t first = values[std::countr_zero(w.exec)];
  for_lanes(w.exec, [&](unsigned lane) {
    if (values[lane] != first) {
      w.fail(
          "barrier misuse",
          "names " + what + " " + std::to_string(values[lane]) + " where another lane names " + std::to_string(first),
          lane);
    }
  });
  return first;
}

void reduce(Warp& w, const Op& op, Barrier& barrier) {
  if (!op.c.used()) return;
  const BarrierMode mode = BarrierMode::unpack(op.mode);
  const std::uint32_t votes = (w.predicate(op.c) ^ (mode.negated ? all_lanes : 0)) & w.exec;
  barrier.all &= votes == w.exec;
  barrier.any |= votes != 0;
  barrier.count += static_cast<std::uint32_t>(std::popcount(votes));
}

}  // namespace

std::uint32_t arrive_at_barrier(Warp& w, const Op& op) {
  Cta& cta = *w.cta;
  const auto lane = static_cast<unsigned>(std::countr_zero(w.exec));
  const std::uint32_t id = uniform(w, op.a, "barrier");
  if (id >= Cta::barrier_count) w.fail("barrier misuse", "names barrier " + std::to_string(id) + " of 16", lane);
  const std::uint32_t expected = op.b.used() ? uniform(w, op.b, "a thread count of") : rounded_threads(cta);
  if (expected == 0 || expected % lanes != 0 || expected > rounded_threads(cta)) {
    w.fail("barrier misuse",
           "expects " + std::to_string(expected) + " threads, not a multiple of 32 up to the CTA's " +
               std::to_string(rounded_threads(cta)),
           lane);
  }
  Barrier& barrier = cta.barriers[id];
  if (barrier.in_use && barrier.expected != expected) {
    w.fail("barrier misuse",
           "expects " + std::to_string(expected) + " threads at barrier " + std::to_string(id) +
               ", where others expect " + std::to_string(barrier.expected),
           lane);
  }
  barrier.counted = barrier.in_use ? barrier.counted || op.b.used() : op.b.used();
  barrier.in_use = true;
  barrier.expected = expected;
  barrier.arrived += op.whole_warp ? lanes : static_cast<std::uint32_t>(std::popcount(w.exec));
  reduce(w, op, barrier);
  const bool waits = BarrierMode::unpack(op.mode).action != BarrierMode::arrive;
  for_lanes(w.exec, [&](unsigned i) {
    w.wait[i].barrier = static_cast<std::uint8_t>(id);
    if (waits) return;
    w.wait[i] = {};
    w.blocked &= ~(1U << i);
    ++w.lane_pc[i];
  });
  return release_if_complete(cta, static_cast<std::uint8_t>(id));
}

std::uint32_t release_after_exit(Cta& cta) {
  std::uint32_t released = 0;
  for (std::uint8_t id = 0; id < Cta::barrier_count; ++id) released |= release_if_complete(cta, id);
  return released;
}

}  // namespace tileloom::emu
