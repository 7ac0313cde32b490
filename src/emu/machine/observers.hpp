// SPDX-License-Identifier: Apache-2.0
// Several observers of one run, each there or not: checks, counters, provenance.
#pragma once

#include "emu/check/race_checker.hpp"
#include "emu/count/counter.hpp"
#include "emu/follow/follower.hpp"

namespace tileloom::emu {

struct ObserverSet {
  RaceChecker* checker = nullptr;
  Counter* counter = nullptr;
  Follower* follower = nullptr;

  void issued(std::uint32_t at, std::uint32_t exec) {
    if (counter != nullptr) counter->issued(at, exec);
  }
  void before(const Warp& w, const Op& op, std::uint32_t at) {
    if (checker != nullptr) checker->before(w, op, at);
    if (counter != nullptr) counter->before(w, op, at);
    if (follower != nullptr) follower->before(w, op, at);
  }
  void after(const Warp& w, const Op& op, std::uint32_t at) {
    if (checker != nullptr) checker->after(w, op, at);
  }
  void barrier_complete(std::uint32_t barrier) {
    if (checker != nullptr) checker->barrier_complete(barrier);
  }
};

}  // namespace tileloom::emu
