// SPDX-License-Identifier: Apache-2.0
#include "emu/count/counter.hpp"

#include <algorithm>
#include <bit>

#include "emu/isa/access.hpp"
#include "emu/isa/async_copy.hpp"
#include "emu/machine/address.hpp"

namespace tileloom::emu {
namespace {

using ptx::Space;

constexpr std::size_t most_known = 16;  // patterns of an op
constexpr std::uint64_t line_mask = ~std::uint64_t{127};

// Lanes below the first one's line stay positive, also as 32 bits.
constexpr std::uint64_t origin = (std::uint64_t{1} << 40) + (std::uint64_t{1} << 20);

// Moves the lanes of the mask so that the first one's line begins at the origin, and clears the others.
void make_relative(std::array<std::uint64_t, lanes>& at, std::uint32_t mask) {
  const std::uint64_t line =
      mask == 0 ? 0 : (at[static_cast<std::size_t>(std::countr_zero(mask))] & line_mask) - origin;
  if (mask == all_lanes) {
    for (std::uint64_t& a : at) a -= line;
    return;
  }
  for (unsigned i = 0; i < lanes; ++i) at[i] = (mask >> i & 1) != 0 ? at[i] - line : 0;
}

}  // namespace

void Counter::take_copy(const Warp& w, const Op& op) {
  const CopyOperands operands = copy_operands(w, op);
  now_.shared = operands.to;
  now_.global = operands.from;
  now_.shared_lanes = w.exec;
  for_lanes(w.exec, [&](unsigned lane) {
    const std::uint32_t bytes = operands.source_bytes[lane];
    now_.global_bytes += bytes;
    now_.global_lanes |= std::uint32_t{bytes != 0} << lane;
  });
}

void Counter::take_addresses(const Warp& w, const Op& op, const AccessForm& form) {
  const std::uint32_t mask = w.exec & form.givers;
  auto& at = op.space == Space::shared ? now_.shared : now_.global;
  lane_addresses(w, op.a, op.narrow_address, op.imm, at.data());
  if (op.space == Space::shared) {
    now_.shared_lanes = mask;
  } else if (op.space == Space::global) {
    now_.global_lanes = mask;
  } else {
    for_lanes(mask, [&](unsigned lane) {
      const std::uint64_t region = region_of(at[lane]);
      now_.shared_lanes |= std::uint32_t{region == shared_region} << lane;
      now_.global_lanes |= std::uint32_t{region >= first_buffer_region} << lane;
    });
    now_.shared = at;
  }
  now_.global_bytes = form.bytes * static_cast<unsigned>(std::popcount(now_.global_lanes));
}

void Counter::access(const Warp& w, const Op& op, std::uint32_t at) {
  const AccessForm& form = forms_[at];
  now_.shared_lanes = now_.global_lanes = now_.global_bytes = 0;
  if (form.access == AccessClass::cp_async) {
    take_copy(w, op);
  } else {
    take_addresses(w, op, form);
  }
  make_relative(now_.shared, now_.shared_lanes);
  make_relative(now_.global, now_.global_lanes);
  KnownOfOp& known = known_[at];
  for (std::size_t i = 0; i < known.all.size(); ++i) {
    const std::size_t which = known.last + i < known.all.size() ? known.last + i : known.last + i - known.all.size();
    if (known.all[which].pattern == now_) {
      ++known.all[which].times;
      known.last = which;
      return;
    }
  }
  if (known.all.size() < most_known) {
    known.all.emplace_back();
    known.last = known.all.size() - 1;
  } else {
    known.last = (known.last + 1) % most_known;
    settle(at, known.all[known.last]);
  }
  known.all[known.last] = {now_, price_of(form, now_), 1};
}

// Adds what the pattern cost so far.
void Counter::settle(std::uint32_t at, Known& known) {
  const auto times = known.times;
  Price price = known.price;
  SharedCount& s = price.shared;
  for (std::uint64_t* n : {&s.requests, &s.wavefronts_low, &s.wavefronts_high, &s.profiled, &s.ideal, &s.bytes})
    *n *= times;
  for (std::uint64_t& n : s.bank_words) n *= times;
  GlobalCount& g = price.global;
  for (std::uint64_t* n : {&g.requests, &g.sectors, &g.ideal_sectors, &g.bytes}) *n *= times;
  counts_[at].price.shared += price.shared;
  counts_[at].price.global += price.global;
  known.times = 0;
}

void Counter::deliver() {
  for (std::uint32_t at = 0; at < known_.size(); ++at) {
    for (Known& known : known_[at].all) settle(at, known);
  }
  launch_.add(counts_);
}

}  // namespace tileloom::emu
