// SPDX-License-Identifier: Apache-2.0
// Runs the warps of a CTA.
//
// Each lane has a program counter. Lanes that stand at the same instruction and call depth run together as a group: the
// deepest calls first, among them the smallest counter, so that diverged lanes meet again as early as the code allows.
#pragma once

#include <cstdint>

#include "emu/check/race_checker.hpp"
#include "emu/machine/cta.hpp"
#include "emu/machine/observers.hpp"
#include "emu/machine/program.hpp"
#include "emu/machine/schedule.hpp"

namespace tileloom::emu {

// What a plain run observes: nothing. An observer sees each op before and after its handler ran, with Warp::exec and
// the operands' slots, and each CTA barrier that completes; before that, that an op was issued, also for no lane at all
// and also where it has no handler. Checks and counters are observers, and a run without them has no trace of them.
struct NoObserver {
  void issued(std::uint32_t, std::uint32_t) {}
  void before(const Warp&, const Op&, std::uint32_t) {}
  void after(const Warp&, const Op&, std::uint32_t) {}
  void barrier_complete(std::uint32_t) {}
};

template <class Observer>
class Interpreter {
 public:
  Interpreter(Cta& cta, Observer& observer);

  // Runs the CTA to its end. Throws Error(check_failed).
  void run();

 private:
  struct Group {
    std::uint32_t mask = 0;
    std::uint32_t pc = 0;
    std::uint32_t depth = 0;
    std::uint32_t limit = 0;  // where the next group stands
    bool alone = false;       // no other lane of the warp can run
  };
  enum class Next : std::uint8_t { go_on, choose };

  void run_warp(Warp& w);
  void run_group(Warp& w, Group& g);
  [[nodiscard]] bool choose(Warp& w, Group& g, std::uint32_t avoid) const;
  [[nodiscard]] Next control(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next branch(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next branch_table(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next collective(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next warp_barrier(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next cta_barrier(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next call(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next indirect_call(Warp& w, Group& g, const Op& op, std::uint32_t exec);
  [[nodiscard]] Next ret(Warp& w, Group& g, std::uint32_t exec);
  [[nodiscard]] Next exit(Warp& w, Group& g, std::uint32_t exec);

  void park(Warp& w, const Group& g, std::uint32_t mask, std::uint32_t pc) const;
  void block(Warp& w, const Group& g, std::uint32_t mask, const Wait& wait) const;
  [[nodiscard]] std::uint32_t members_of(Warp& w, Group& g, const Op& op, std::uint32_t& exec) const;
  [[nodiscard]] std::uint32_t waiting_at(const Warp& w, const Group& g, const Wait& wait) const;
  [[nodiscard]] bool gather(Warp& w, Group& g, const Wait& wait, std::uint32_t exec, std::uint32_t needed,
                            std::uint32_t& arrived);
  void tell_complete(std::uint32_t barriers);
  void check_limit() const;
  [[noreturn]] void fail_stuck() const;

  Cta& cta_;
  const Program& program_;
  Observer& observer_;
  WarpOrder order_;
};

extern template class Interpreter<NoObserver>;
extern template class Interpreter<RaceChecker>;
extern template class Interpreter<ObserverSet>;

}  // namespace tileloom::emu
