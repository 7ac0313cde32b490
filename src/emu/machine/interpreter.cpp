// SPDX-License-Identifier: Apache-2.0
#include "emu/machine/interpreter.hpp"

#include <algorithm>
#include <bit>

#include "emu/isa/async_copy.hpp"
#include "emu/machine/cta_barrier.hpp"
#include "emu/machine/frames.hpp"
#include "emu/machine/stuck.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

// Instructions before another group of a diverged warp gets its turn: lanes may wait for each other in loops.
constexpr std::uint64_t group_turn = 10'000;

std::uint64_t number_of(const Cta& cta) {
  const Dim3& grid = cta.launch->options.grid;
  return cta.index.x + std::uint64_t{grid.x} * (cta.index.y + std::uint64_t{grid.y} * cta.index.z);
}

}  // namespace

template <class Observer>
Interpreter<Observer>::Interpreter(Cta& cta, Observer& observer)
    : cta_(cta),
      program_(*cta.launch->program),
      observer_(observer),
      order_(cta.launch->options.schedule, number_of(cta), cta.warps.size()) {}

template <class Observer>
void Interpreter<Observer>::run() {
  while (true) {
    bool alive = false;
    bool ran = false;
    for (const std::uint32_t index : order_.round()) {
      Warp& w = cta_.warps[index];
      if (w.live == 0) continue;
      alive = true;
      if ((w.live & ~w.blocked) == 0) continue;
      ran = true;
      const std::uint64_t before = w.instructions;
      run_warp(w);
      cta_.instructions += w.instructions - before;
      check_limit();
    }
    if (!alive) return;
    if (!ran) fail_stuck();
  }
}

template <class Observer>
void Interpreter<Observer>::check_limit() const {
  if (cta_.launch->stop.load(std::memory_order_relaxed)) throw Error(ErrorKind::cannot_run, "stopped");
  const std::uint64_t limit = cta_.launch->options.max_instructions;
  if (limit != 0 && cta_.instructions > limit) fail_limit(cta_, limit);
}

template <class Observer>
void Interpreter<Observer>::fail_stuck() const {
  emu::fail_stuck(cta_);
}

template <class Observer>
void Interpreter<Observer>::run_warp(Warp& w) {
  const std::uint64_t limit = cta_.launch->options.max_instructions;
  std::uint64_t turn = order_.turn();
  if (limit != 0) turn = std::min(turn, limit + 1 - std::min(cta_.instructions, limit));
  const std::uint64_t end = w.instructions + turn;
  Group g;
  std::uint32_t avoid = 0;
  while (w.instructions < end && choose(w, g, avoid)) {
    const std::uint64_t before = w.instructions;
    w.turn_end = g.alone ? end : std::min(end, before + group_turn);
    run_group(w, g);
    avoid = w.instructions - before >= group_turn ? g.mask : 0;
  }
}

// `avoid`: lanes that had their turn; they are taken only when there are no others.
template <class Observer>
bool Interpreter<Observer>::choose(Warp& w, Group& g, std::uint32_t avoid) const {
  const std::uint32_t runnable = w.live & ~w.blocked;
  if (runnable == 0) return false;
  const std::uint32_t candidates = (runnable & ~avoid) != 0 ? runnable & ~avoid : runnable;
  g.depth = 0;
  for_lanes(candidates, [&](unsigned lane) { g.depth = std::max(g.depth, w.depth[lane]); });
  g.pc = 0xFFFF'FFFF;
  for_lanes(candidates, [&](unsigned lane) {
    if (w.depth[lane] == g.depth) g.pc = std::min(g.pc, w.lane_pc[lane]);
  });
  g.mask = 0;
  g.limit = 0xFFFF'FFFF;
  for_lanes(runnable, [&](unsigned lane) {
    if (w.depth[lane] != g.depth) return;
    if (w.lane_pc[lane] == g.pc) g.mask |= 1U << lane;
    if (w.lane_pc[lane] > g.pc) g.limit = std::min(g.limit, w.lane_pc[lane]);
  });
  g.alone = g.mask == runnable;
  w.areas[static_cast<std::size_t>(Slot::Area::frame)] = w.frames[g.depth].registers.get();
  return true;
}

template <class Observer>
void Interpreter<Observer>::run_group(Warp& w, Group& g) {
  const Op* ops = program_.ops.data();
  std::uint64_t count = w.instructions;
  while (true) {
    if (g.pc >= g.limit || count >= w.turn_end) {
      park(w, g, g.mask, g.pc);
      break;
    }
    const Op& op = ops[g.pc];
    std::uint32_t exec = g.mask;
    if (op.guard.used()) exec &= w.predicate(op.guard) ^ (op.guard_negated ? all_lanes : 0);
    ++count;
    observer_.issued(g.pc, exec);
    if (op.kind == Op::Kind::plain) {
      if (exec != 0) {
        w.exec = exec;
        w.pc = g.pc;
        w.instructions = count;
        observer_.before(w, op, g.pc);
        op.run(w, op);
        observer_.after(w, op, g.pc);
      }
      ++g.pc;
      continue;
    }
    if (exec == 0) {
      ++g.pc;
      continue;
    }
    w.pc = g.pc;
    w.instructions = count;
    if (control(w, g, op, exec) == Next::choose) break;
  }
  w.instructions = count;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::control(Warp& w, Group& g, const Op& op,
                                                                    std::uint32_t exec) {
  switch (op.kind) {
    case Op::Kind::branch:
      return branch(w, g, op, exec);
    case Op::Kind::branch_table:
      return branch_table(w, g, op, exec);
    case Op::Kind::collective:
      return collective(w, g, op, exec);
    case Op::Kind::warp_barrier:
      return warp_barrier(w, g, op, exec);
    case Op::Kind::cta_barrier:
      return cta_barrier(w, g, op, exec);
    case Op::Kind::call:
      return call(w, g, op, exec);
    case Op::Kind::indirect_call:
      return indirect_call(w, g, op, exec);
    case Op::Kind::ret:
      return ret(w, g, exec);
    default:
      return exit(w, g, exec);
  }
}

template <class Observer>
void Interpreter<Observer>::park(Warp& w, const Group&, std::uint32_t mask, std::uint32_t pc) const {
  for_lanes(mask, [&](unsigned lane) { w.lane_pc[lane] = pc; });
}

template <class Observer>
void Interpreter<Observer>::block(Warp& w, const Group& g, std::uint32_t mask, const Wait& wait) const {
  park(w, g, mask, g.pc);
  w.blocked |= mask;
  for_lanes(mask, [&](unsigned lane) { w.wait[lane] = wait; });
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::branch(Warp& w, Group& g, const Op& op,
                                                                   std::uint32_t exec) {
  if (exec == g.mask) {
    g.pc = op.target;
    return Next::go_on;
  }
  park(w, g, exec, op.target);
  park(w, g, g.mask & ~exec, g.pc + 1);
  return Next::choose;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::branch_table(Warp& w, Group& g, const Op& op,
                                                                         std::uint32_t exec) {
  park(w, g, g.mask & ~exec, g.pc + 1);
  const auto* index = w.reg<std::uint32_t>(op.a);
  for_lanes(exec, [&](unsigned lane) {
    if (index[lane] >= static_cast<std::uint64_t>(op.imm)) {
      w.fail("bad branch", "takes target " + std::to_string(index[lane]) + " of " + std::to_string(op.imm), lane);
    }
    w.lane_pc[lane] = program_.targets[op.target + index[lane]];
  });
  return Next::choose;
}

// The member mask that the first lane names. It must hold the lanes that name it; those that name another one, which
// must be disjoint, leave `exec` and stay where they are until this one is done.
template <class Observer>
std::uint32_t Interpreter<Observer>::members_of(Warp& w, Group& g, const Op& op, std::uint32_t& exec) const {
  if (op.whole_warp) return all_lanes;
  const auto* masks = w.reg<std::uint32_t>(op.c);
  const std::uint32_t members = masks[std::countr_zero(exec)];
  std::uint32_t others = 0;
  for_lanes(exec, [&](unsigned lane) {
    if (masks[lane] != members) others |= 1U << lane;
    if (masks[lane] != members && (masks[lane] & members) != 0) {
      w.fail("divergence",
             "names lanes " + lane_list(masks[lane]) + " where lane " + std::to_string(std::countr_zero(exec)) +
                 " names " + lane_list(members),
             lane);
    }
    if ((masks[lane] >> lane & 1) == 0) {
      w.fail("divergence", "names lanes " + lane_list(masks[lane]) + ", not lane " + std::to_string(lane) + " itself",
             lane);
    }
  });
  if (others != 0) {
    park(w, g, others, g.pc);
    g.mask &= ~others;
    g.limit = g.pc + 1;
    exec &= ~others;
  }
  return members;
}

template <class Observer>
std::uint32_t Interpreter<Observer>::waiting_at(const Warp& w, const Group& g, const Wait& wait) const {
  std::uint32_t mask = 0;
  for_lanes(w.blocked, [&](unsigned lane) {
    const Wait& other = w.wait[lane];
    const bool anywhere = wait.kind == Wait::Kind::warp_barrier;
    const bool here = w.lane_pc[lane] == g.pc && w.depth[lane] == g.depth;
    if (other.kind == wait.kind && other.members == wait.members && (anywhere || here)) mask |= 1U << lane;
  });
  return mask;
}

// True when all of `needed` have come; else the lanes of `exec` wait.
template <class Observer>
bool Interpreter<Observer>::gather(Warp& w, Group& g, const Wait& wait, std::uint32_t exec, std::uint32_t needed,
                                   std::uint32_t& arrived) {
  arrived = exec | (w.blocked == 0 ? 0 : waiting_at(w, g, wait));
  if ((needed & ~arrived) == 0) return true;
  park(w, g, g.mask & ~exec, g.pc + 1);
  block(w, g, exec, wait);
  return false;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::collective(Warp& w, Group& g, const Op& op,
                                                                       std::uint32_t exec) {
  std::uint32_t arrived = exec;
  if (exec != all_lanes || !op.whole_warp) {
    const std::uint32_t members = members_of(w, g, op, exec);
    if (op.whole_warp && w.live != all_lanes) fail_incomplete_warp(w, exec);
    const Wait wait{Wait::Kind::collective, 0, members};
    if (!gather(w, g, wait, exec, members & w.live, arrived)) return Next::choose;
  }
  w.exec = arrived;
  observer_.before(w, op, g.pc);
  op.run(w, op);
  observer_.after(w, op, g.pc);
  ++g.pc;
  if (arrived == exec) return Next::go_on;
  w.blocked &= ~arrived;
  park(w, g, g.mask | arrived, g.pc);
  return Next::choose;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::warp_barrier(Warp& w, Group& g, const Op& op,
                                                                         std::uint32_t exec) {
  const std::uint32_t members = members_of(w, g, op, exec);
  const Wait wait{Wait::Kind::warp_barrier, 0, members};
  std::uint32_t arrived = 0;
  if (!gather(w, g, wait, exec, members & w.live, arrived)) return Next::choose;
  w.exec = arrived;
  observer_.after(w, op, g.pc);
  ++g.pc;
  const std::uint32_t others = arrived & ~exec;
  if (others == 0) return Next::go_on;
  w.blocked &= ~others;
  for_lanes(others, [&](unsigned lane) { ++w.lane_pc[lane]; });
  park(w, g, g.mask, g.pc);
  return Next::choose;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::cta_barrier(Warp& w, Group& g, const Op& op,
                                                                        std::uint32_t exec) {
  std::uint32_t arrived = exec;
  if (op.whole_warp) {
    const Wait wait{Wait::Kind::collective, 0, all_lanes};
    if (!gather(w, g, wait, exec, w.live, arrived)) return Next::choose;
  }
  park(w, g, g.mask & ~arrived, g.pc + 1);
  block(w, g, arrived, {Wait::Kind::cta_barrier, 0, 0});
  w.exec = arrived;
  observer_.before(w, op, g.pc);
  tell_complete(arrive_at_barrier(w, op));
  return Next::choose;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::call(Warp& w, Group& g, const Op& op, std::uint32_t exec) {
  park(w, g, g.mask & ~exec, g.pc + 1);
  enter_call(w, program_, op.target, exec, g.pc);
  return Next::choose;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::indirect_call(Warp& w, Group& g, const Op& op,
                                                                          std::uint32_t exec) {
  park(w, g, g.mask & ~exec, g.pc + 1);
  const auto* address = w.reg<std::uint64_t>(op.a);
  while (exec != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(exec));
    std::uint32_t same = 0;
    for_lanes(exec, [&](unsigned lane) { same |= std::uint32_t{address[lane] == address[first]} << lane; });
    enter_call(w, program_, called_at(w, program_, op, first), same, g.pc);
    exec &= ~same;
  }
  return Next::choose;
}

template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::ret(Warp& w, Group& g, std::uint32_t exec) {
  park(w, g, g.mask & ~exec, g.pc + 1);
  for_lanes(exec, [&](unsigned lane) { w.lane_pc[lane] = leave_call(w, program_, lane); });
  return Next::choose;
}

// Lanes that waited for these look again whether they still have to.
template <class Observer>
typename Interpreter<Observer>::Next Interpreter<Observer>::exit(Warp& w, Group& g, std::uint32_t exec) {
  park(w, g, g.mask & ~exec, g.pc + 1);
  deliver_all_copies(w, exec);
  park(w, g, exec, g.pc);
  w.live &= ~exec;
  for_lanes(w.blocked, [&](unsigned lane) {
    if (w.wait[lane].kind != Wait::Kind::cta_barrier) w.blocked &= ~(1U << lane);
  });
  tell_complete(release_after_exit(cta_));
  return Next::choose;
}

template <class Observer>
void Interpreter<Observer>::tell_complete(std::uint32_t barriers) {
  for_lanes(barriers, [&](unsigned barrier) { observer_.barrier_complete(barrier); });
}

template class Interpreter<NoObserver>;
template class Interpreter<RaceChecker>;
template class Interpreter<ObserverSet>;

}  // namespace tileloom::emu
