// SPDX-License-Identifier: Apache-2.0
// The observer that follows elements: before an op runs it moves the names of its operands as the op will their values.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/follow/action.hpp"
#include "emu/follow/follow_log.hpp"
#include "emu/follow/memory_shadow.hpp"
#include "emu/follow/register_shadow.hpp"
#include "emu/machine/cta.hpp"
#include "tileloom/emu/provenance.hpp"

namespace tileloom::emu {

class Follower {
 public:
  explicit Follower(const LaunchState& launch);

  void start_cta(const Cta& cta, std::uint64_t number);
  void before(const Warp& w, const Op& op, std::uint32_t at) {
    if (actions_[at].kind != Action::Kind::none) act(w, op, at);
  }
  [[nodiscard]] Provenance finish() const;

 private:
  using Addresses = std::array<std::uint64_t, lanes>;
  // The names of a register before the op; registers of the op may be the same.
  struct Source {
    bool any = false;
    unsigned halves = 2;
    std::array<Name, 4 * lanes> names;  // NOLINT: set where `any`

    [[nodiscard]] Name at(unsigned lane, unsigned half) const {
      return any && half < halves ? names[halves * lane + half] : 0;
    }
  };

  void act(const Warp& w, const Op& op, std::uint32_t at);
  void move_registers(const Warp& w, const Op& op, std::uint32_t at);
  void load(const Warp& w, const Op& op);
  void store(const Warp& w, const Op& op);
  void copy_async(const Warp& w, const Op& op);
  void matrix(const Warp& w, const Op& op, bool loads);
  void multiply(const Warp& w, const Op& op, const Action& action);
  void note_operands(const Warp& w, const Op& op, unsigned c_registers);
  void pack(const Warp& w, const Op& op);
  void unpack(const Warp& w, const Op& op);
  void shuffle(const Warp& w, const Op& op, const Action& action);
  void permute(const Warp& w, const Op& op);
  void shift(const Warp& w, const Op& op, const Action& action);
  void derive(const Op& op, bool by_half);
  void clear(const Warp& w, const Op& op);

  [[nodiscard]] Source read(Slot slot) const;
  [[nodiscard]] bool is_followed(Name name) const { return name != 0 && name != derived_name; }
  [[nodiscard]] Name derived(bool from_any) const { return from_any && derives_ ? derived_name : 0; }
  // Writes the lanes' halves of a register; notes the moves of named values. `whole`: both halves are one value.
  template <class F>
  void write(Slot slot, HalfName half, MoveKind kind, F name, bool whole = false);
  void note(MoveKind kind, unsigned lane, unsigned source_lane, Name name, HalfName half, const Spot* from,
            const Spot* to);

  static constexpr Name derived_name = 0x8000'0000;

  const LaunchState& launch_;
  const FollowOptions& options_;
  std::vector<Action> actions_;
  bool only_result_;  // the sum that is stored to the element is asked for
  bool derives_;      // whether what is computed from the element has a name too
  MemoryShadow memory_;
  FollowLog log_;
  const Cta* cta_ = nullptr;
  std::uint64_t cta_number_ = 0;
  std::vector<std::vector<RegisterShadow>> registers_;  // by warp and depth
  RegisterShadow* frame_ = nullptr;                     // of the op that runs
  const Warp* warp_ = nullptr;
  std::uint32_t op_ = 0;
};

}  // namespace tileloom::emu
