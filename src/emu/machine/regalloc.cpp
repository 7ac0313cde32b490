// SPDX-License-Identifier: Apache-2.0
#include "emu/machine/regalloc.hpp"

#include <algorithm>
#include <queue>

namespace tileloom::emu {
namespace {

// Beyond this many bits of liveness sets every register keeps its own slot.
constexpr std::uint64_t max_liveness_bits = std::uint64_t{1} << 30;
// So many passes over the blocks find the liveness of any program that a compiler writes.
constexpr int max_passes = 64;

struct Block {
  std::uint32_t begin = 0, end = 0;  // ops, relative
  std::vector<std::uint32_t> next;
};

using Bits = std::vector<std::uint64_t>;
bool has(const Bits& bits, std::uint32_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}
void add(Bits& bits, std::uint32_t i) {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}

struct Interval {
  std::uint32_t reg = 0, begin = 0xFFFF'FFFF, end = 0;
};

class Allocator {
 public:
  Allocator(std::span<Op> ops, std::uint32_t first, std::span<Slot> lists, std::span<const std::uint32_t> targets,
            std::span<const RegisterClass> classes)
      : ops_(ops), first_(first), lists_(lists), targets_(targets), classes_(classes) {}

  FrameSize run() {
    find_blocks();
    const std::uint64_t bits = std::uint64_t{blocks_.size()} * classes_.size() * 3;
    place_.assign(classes_.size(), 0);
    if (bits <= max_liveness_bits && find_liveness()) {
      scan();
    } else {
      for (std::uint32_t r = 0; r < classes_.size(); ++r) place_[r] = count(classes_[r])++;
    }
    rewrite();
    return size_;
  }

 private:
  [[nodiscard]] std::uint32_t& count(RegisterClass c) {
    return c == RegisterClass::wide ? size_.wide : c == RegisterClass::word ? size_.word : size_.predicate;
  }

  template <class F>
  void reads(const Op& op, F f) const {
    for (const Slot s : {op.a, op.b, op.c, op.guard}) visit(s, f);
    for (std::uint32_t i = 0; i < op.list_reads; ++i) visit(lists_[op.list + op.list_writes + i], f);
  }
  template <class F>
  void writes(const Op& op, F f) const {
    for (const Slot s : {op.d, op.d2}) visit(s, f);
    for (std::uint32_t i = 0; i < op.list_writes; ++i) visit(lists_[op.list + i], f);
  }
  template <class F>
  static void visit(Slot s, F f) {
    if (s.used() && s.area() == Slot::Area::unplaced) f(s.value());
  }

  static bool ends_block(const Op& op) {
    return op.kind == Op::Kind::branch || op.kind == Op::Kind::branch_table || op.kind == Op::Kind::ret ||
           op.kind == Op::Kind::exit;
  }

  void find_blocks() {
    const auto n = static_cast<std::uint32_t>(ops_.size());
    std::vector<bool> starts(n + 1, false);
    starts[0] = true;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (ends_block(ops_[i])) starts[i + 1] = true;
      each_target(ops_[i], [&](std::uint32_t t) { starts[t] = true; });
    }
    std::vector<std::uint32_t> block_at(n + 1, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (starts[i]) blocks_.push_back({i, i, {}});
      blocks_.back().end = i + 1;
      block_at[i] = static_cast<std::uint32_t>(blocks_.size() - 1);
    }
    for (Block& block : blocks_) {
      const Op& last = ops_[block.end - 1];
      each_target(last, [&](std::uint32_t t) {
        if (t < n) block.next.push_back(block_at[t]);
      });
      const bool falls = !ends_block(last) || last.guard.used();
      if (falls && block.end < n) block.next.push_back(block_at[block.end]);
    }
  }

  template <class F>
  void each_target(const Op& op, F f) const {
    if (op.kind == Op::Kind::branch) f(op.target - first_);
    if (op.kind == Op::Kind::branch_table) {
      for (std::int64_t i = 0; i < op.imm; ++i) f(targets_[op.target + static_cast<std::uint32_t>(i)] - first_);
    }
  }

  [[nodiscard]] bool find_liveness() {
    const std::size_t words = (classes_.size() + 63) / 64;
    std::vector<Bits> use(blocks_.size(), Bits(words)), def(blocks_.size(), Bits(words));
    live_in_.assign(blocks_.size(), Bits(words));
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::uint32_t i = blocks_[b].begin; i < blocks_[b].end; ++i) {
        const Op& op = ops_[i];
        reads(op, [&](std::uint32_t r) {
          if (!has(def[b], r)) add(use[b], r);
        });
        if (op.guard.used()) continue;  // some lanes keep what they had
        writes(op, [&](std::uint32_t r) { add(def[b], r); });
      }
    }
    for (int pass = 0; pass < max_passes; ++pass) {
      bool changed = false;
      for (std::size_t b = blocks_.size(); b-- > 0;) {
        for (std::size_t k = 0; k < words; ++k) {
          std::uint64_t out = 0;
          for (const std::uint32_t next : blocks_[b].next) out |= live_in_[next][k];
          const std::uint64_t in = use[b][k] | (out & ~def[b][k]);
          changed |= in != live_in_[b][k];
          live_in_[b][k] = in;
        }
      }
      if (!changed) return true;
    }
    return false;
  }

  std::vector<Interval> intervals() const {
    std::vector<Interval> all(classes_.size());
    for (std::uint32_t r = 0; r < all.size(); ++r) all[r].reg = r;
    const auto touch = [&](std::uint32_t r, std::uint32_t at) {
      all[r].begin = std::min(all[r].begin, at);
      all[r].end = std::max(all[r].end, at);
    };
    // An op reads at 2i and writes at 2i + 1; a value that is dead is held for the write alone.
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t k = 0; k < live_in_[b].size(); ++k) {
        for (std::uint64_t rest = live_in_[b][k]; rest != 0; rest &= rest - 1) {
          touch(static_cast<std::uint32_t>(64 * k) + static_cast<std::uint32_t>(__builtin_ctzll(rest)),
                2 * blocks_[b].begin);
        }
        std::uint64_t out = 0;
        for (const std::uint32_t next : blocks_[b].next) out |= live_in_[next][k];
        for (; out != 0; out &= out - 1) {
          touch(static_cast<std::uint32_t>(64 * k) + static_cast<std::uint32_t>(__builtin_ctzll(out)),
                2 * blocks_[b].end);
        }
      }
    }
    for (std::uint32_t i = 0; i < ops_.size(); ++i) {
      reads(ops_[i], [&](std::uint32_t r) { touch(r, 2 * i); });
      writes(ops_[i], [&](std::uint32_t r) { touch(r, 2 * i + 1); });
    }
    std::erase_if(all, [](const Interval& i) { return i.begin == 0xFFFF'FFFF; });
    std::sort(all.begin(), all.end(), [](const Interval& x, const Interval& y) {
      return x.begin != y.begin ? x.begin < y.begin : x.reg < y.reg;
    });
    return all;
  }

  // A register that ends where an op reads it may give its slot to what that op writes: handlers read all operands of a
  // lane before they write it. Ops with several results write one after the other, so theirs must not.
  [[nodiscard]] std::uint32_t last_use(const Interval& interval) const {
    const std::uint32_t i = interval.end / 2;
    if (interval.end % 2 != 0 || i >= ops_.size()) return interval.end;
    const Op& op = ops_[i];
    const bool several = op.list_writes > 1 || op.d2.used() || op.kind != Op::Kind::plain;
    return several ? interval.end + 1 : interval.end;
  }

  void scan() {
    struct Active {
      std::uint32_t end, reg;
      bool operator>(const Active& o) const { return end != o.end ? end > o.end : reg > o.reg; }
    };
    std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free[3];
    for (const Interval& interval : intervals()) {
      while (!active.empty() && active.top().end < interval.begin) {
        const std::uint32_t r = active.top().reg;
        active.pop();
        free[static_cast<std::size_t>(classes_[r])].push(place_[r]);
      }
      const RegisterClass c = classes_[interval.reg];
      auto& pool = free[static_cast<std::size_t>(c)];
      if (pool.empty()) {
        place_[interval.reg] = count(c)++;
      } else {
        place_[interval.reg] = pool.top();
        pool.pop();
      }
      active.push({last_use(interval), interval.reg});
    }
  }

  void place(Slot& s) const {
    if (s.used() && s.area() == Slot::Area::unplaced) {
      s = frame_slot(classes_[s.value()], place_[s.value()]);
    }
  }

  void rewrite() {
    for (Op& op : ops_) {
      for (Slot* s : {&op.d, &op.d2, &op.a, &op.b, &op.c, &op.guard}) place(*s);
      for (std::uint32_t i = 0; i < std::uint32_t{op.list_writes} + op.list_reads; ++i) place(lists_[op.list + i]);
    }
  }

  std::span<Op> ops_;
  std::uint32_t first_;
  std::span<Slot> lists_;
  std::span<const std::uint32_t> targets_;
  std::span<const RegisterClass> classes_;
  std::vector<Block> blocks_;
  std::vector<Bits> live_in_;
  std::vector<std::uint32_t> place_;
  FrameSize size_;
};

}  // namespace

FrameSize allocate_registers(std::span<Op> ops, std::uint32_t first, std::span<Slot> lists,
                             std::span<const std::uint32_t> targets, std::span<const RegisterClass> classes) {
  return Allocator(ops, first, lists, targets, classes).run();
}

}  // namespace tileloom::emu
