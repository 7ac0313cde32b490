// SPDX-License-Identifier: Apache-2.0
#include "emu/follow/follower.hpp"

#include <bit>

#include "emu/isa/shuffle.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

// Bits of half `h` of a register.
HalfName half_of(HalfName::Of of, unsigned index, unsigned h) {
  return {of, static_cast<std::uint8_t>(index), static_cast<std::uint8_t>(16 * h),
          static_cast<std::uint8_t>(16 * h + 15)};
}

template <Shuffle Mode>
unsigned lane_read(unsigned lane, std::uint32_t by, std::uint32_t control) {
  unsigned from = lane;
  static_cast<void>(source_of<Mode>(lane, by, control, from));
  return from & 31;
}

unsigned lane_read(Shuffle mode, unsigned lane, std::uint32_t by, std::uint32_t control) {
  switch (mode) {
    case Shuffle::up:
      return lane_read<Shuffle::up>(lane, by, control);
    case Shuffle::down:
      return lane_read<Shuffle::down>(lane, by, control);
    case Shuffle::bfly:
      return lane_read<Shuffle::bfly>(lane, by, control);
    default:
      return lane_read<Shuffle::idx>(lane, by, control);
  }
}

}  // namespace

Follower::Follower(const LaunchState& launch)
    : launch_(launch),
      options_(*launch.options.follow),
      actions_(find_actions(*launch.program)),
      only_result_(options_.sums && options_.element && !options_.sum),
      derives_(options_.element && !options_.sums),
      memory_(launch, options_.sums ? std::vector<std::string>{} : options_.buffers,
              options_.sums ? std::nullopt : options_.element) {}

void Follower::start_cta(const Cta& cta, std::uint64_t number) {
  cta_ = &cta;
  cta_number_ = number;
  memory_.start_cta();
  registers_.resize(cta.warps.size());
  for (auto& frames : registers_) {
    for (RegisterShadow& frame : frames) frame.clear_all();
  }
}

Provenance Follower::finish() const {
  Provenance made;
  made.buffers = memory_.named();
  if (derives_) made.buffers = {{options_.element->buffer, 1}};
  log_.finish(*launch_.program, made);
  return made;
}

Follower::Source Follower::read(Slot slot) const {
  Source made;
  const Name* names = frame_->find(slot);
  if (names == nullptr) return made;
  made.any = true;
  made.halves = frame_->halves(slot);
  std::copy(names, names + made.halves * lanes, made.names.begin());
  return made;
}

void Follower::note(MoveKind kind, unsigned lane, unsigned source_lane, Name name, HalfName half, const Spot* from,
                    const Spot* to) {
  if (!is_followed(name) || only_result_) return;
  Move move;
  move.kind = kind;
  move.name = name;
  move.op = op_;
  move.cta = cta_number_;
  move.warp = static_cast<std::uint8_t>(warp_->index);
  move.lane = static_cast<std::uint8_t>(lane);
  move.source_lane = static_cast<std::uint8_t>(source_lane);
  move.half = half;
  move.has_from = from != nullptr;
  move.has_to = to != nullptr;
  if (from != nullptr) move.from = *from;
  if (to != nullptr) move.to = *to;
  log_.add(move);
}

template <class F>
void Follower::write(Slot slot, HalfName half, MoveKind kind, F name, bool whole) {
  frame_->write(slot, warp_->exec, [&](unsigned lane, unsigned h) {
    const Name made = name(lane, h);
    if (made != 0 && !(whole && h != 0)) {
      HalfName to = half_of(half.of, half.index, h);
      if (whole) to.high = 31;
      note(kind, lane, lane, made, to, nullptr, nullptr);
    }
    return made;
  });
}

void Follower::act(const Warp& w, const Op& op, std::uint32_t at) {
  using Kind = Action::Kind;
  const auto depth = w.depth[static_cast<std::size_t>(std::countr_zero(w.exec))];
  auto& frames = registers_[w.index];
  while (frames.size() <= depth) frames.emplace_back(*launch_.program);
  frame_ = &frames[depth];
  warp_ = &w;
  op_ = at;
  switch (actions_[at].kind) {
    case Kind::load:
      return load(w, op);
    case Kind::store:
      return store(w, op);
    case Kind::copy_async:
      return copy_async(w, op);
    case Kind::load_matrix:
      return matrix(w, op, true);
    case Kind::store_matrix:
      return matrix(w, op, false);
    case Kind::mma:
      return multiply(w, op, actions_[at]);
    default:
      return move_registers(w, op, at);
  }
}

void Follower::clear(const Warp& w, const Op& op) {
  frame_->clear(op.d, w.exec);
  frame_->clear(op.d2, w.exec);
  for (unsigned i = 0; i < op.list_writes; ++i) frame_->clear(w.list(op)[i], w.exec);
}

// Most ops read and write nothing that has a name.
void Follower::move_registers(const Warp& w, const Op& op, std::uint32_t at) {
  using Kind = Action::Kind;
  bool any = frame_->find(op.a) != nullptr || frame_->find(op.b) != nullptr || frame_->find(op.c) != nullptr;
  for (unsigned i = 0; i < op.list_reads && !any; ++i) any = frame_->find(w.list(op)[op.list_writes + i]) != nullptr;
  const Action& action = actions_[at];
  if (!any || action.kind == Kind::clear) return clear(w, op);
  const HalfName d{HalfName::Of::scalar};
  switch (action.kind) {
    case Kind::copy: {
      const Source a = read(op.a);
      return write(op.d, d, MoveKind::move, [&](unsigned lane, unsigned h) { return a.at(lane, h); });
    }
    case Kind::select: {
      const Source a = read(op.a);
      const Source b = read(op.b);
      const std::uint32_t chosen = w.predicate(op.c) ^ (op.mode != 0 ? all_lanes : 0);
      return write(op.d, d, MoveKind::move, [&](unsigned lane, unsigned h) {
        return (chosen >> lane & 1) != 0 ? a.at(lane, h) : b.at(lane, h);
      });
    }
    case Kind::narrow: {
      const Source a = read(op.a);
      return write(op.d, d, MoveKind::convert, [&](unsigned lane, unsigned h) { return h == 0 ? a.at(lane, 0) : 0; });
    }
    case Kind::widen: {
      const Source a = read(op.a);
      return write(
          op.d, d, MoveKind::convert, [&](unsigned lane, unsigned) { return a.at(lane, 0); }, true);
    }
    case Kind::narrow_pair: {
      const Source a = read(op.a);
      const Source b = read(op.b);
      return write(op.d, d, MoveKind::convert,
                   [&](unsigned lane, unsigned h) { return h == 0 ? b.at(lane, 0) : a.at(lane, 0); });
    }
    case Kind::resize: {
      const Source a = read(op.a);
      return write(op.d, d, MoveKind::move,
                   [&](unsigned lane, unsigned h) { return h < action.detail ? a.at(lane, h) : 0; });
    }
    case Kind::pack:
      return pack(w, op);
    case Kind::unpack:
      return unpack(w, op);
    case Kind::shuffle:
      return shuffle(w, op, action);
    case Kind::permute:
      return permute(w, op);
    case Kind::shift:
      return shift(w, op, action);
    default:
      return derive(op, action.kind == Kind::derive_halves);
  }
}

void Follower::pack(const Warp& w, const Op& op) {
  std::array<Source, 4> parts;
  for (unsigned i = 0; i < op.list_reads; ++i) parts[i] = read(w.list(op)[i]);
  const unsigned each = op.mode / 16;  // halves of a part
  write(op.d, {HalfName::Of::scalar}, MoveKind::move,
        [&](unsigned lane, unsigned h) { return h / each < 4 ? parts[h / each].at(lane, h % each) : 0; });
}

void Follower::unpack(const Warp& w, const Op& op) {
  const Source a = read(op.a);
  const unsigned each = op.mode / 16;
  for (unsigned i = 0; i < op.list_writes; ++i) {
    write(w.list(op)[i], {HalfName::Of::vector, static_cast<std::uint8_t>(i)}, MoveKind::move,
          [&](unsigned lane, unsigned h) { return h < each ? a.at(lane, i * each + h) : 0; });
  }
}

// list: a, b, control.
void Follower::shuffle(const Warp& w, const Op& op, const Action& action) {
  const Source a = read(w.list(op)[0]);
  const auto* by = w.reg<std::uint32_t>(w.list(op)[1]);
  const auto* control = w.reg<std::uint32_t>(w.list(op)[2]);
  frame_->write(op.d, w.exec, [&](unsigned lane, unsigned h) {
    const unsigned from = lane_read(static_cast<Shuffle>(action.detail), lane, by[lane], control[lane]);
    const Name name = a.at(from, h);
    note(MoveKind::move, lane, from, name, half_of(HalfName::Of::scalar, 0, h), nullptr, nullptr);
    return name;
  });
}

// Selectors name bytes 0 to 7 of b:a; two neighbours that are a whole half move it.
void Follower::permute(const Warp& w, const Op& op) {
  const Source a = read(op.a);
  const Source b = read(op.b);
  const auto* control = w.reg<std::uint32_t>(op.c);
  write(op.d, {HalfName::Of::scalar}, MoveKind::move, [&](unsigned lane, unsigned h) {
    const std::uint32_t low = control[lane] >> 8 * h & 15;
    const std::uint32_t high = control[lane] >> (8 * h + 4) & 15;
    if (low % 2 != 0 || high != low + 1 || high > 7) return Name{0};
    return low < 4 ? a.at(lane, low / 2) : b.at(lane, low / 2 - 2);
  });
}

void Follower::shift(const Warp& w, const Op& op, const Action& action) {
  const Source a = read(op.a);
  const bool word = a.any && a.halves == 2;
  const auto* by = w.reg<std::uint32_t>(op.b);
  write(op.d, {HalfName::Of::scalar}, MoveKind::move, [&](unsigned lane, unsigned h) {
    if (word && by[lane] == 16) return h == (action.detail != 0 ? 1U : 0U) ? a.at(lane, 1 - h) : Name{0};
    bool any = false;
    for (unsigned half = 0; half < a.halves; ++half) any |= a.at(lane, half) != 0;
    return derived(any);
  });
}

void Follower::derive(const Op& op, bool by_half) {
  const std::array from{read(op.a), read(op.b), read(op.c)};
  write(op.d, {HalfName::Of::scalar}, MoveKind::move, [&](unsigned lane, unsigned h) {
    bool any = false;
    for (const Source& s : from) {
      for (unsigned half = 0; half < s.halves; ++half) any |= (!by_half || half == h) && s.at(lane, half) != 0;
    }
    return derived(any);
  });
}

}  // namespace tileloom::emu
