// SPDX-License-Identifier: Apache-2.0
#include "tileloom/hw/memory_cost.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "hw/cp_async_cost.hpp"
#include "hw/lane_group.hpp"
#include "tileloom/error.hpp"

namespace tileloom::hw {
namespace {

using Addresses = std::span<const std::uint32_t, 32>;

// The distinct words of each bank, counted as they come.
class Banks {
 public:
  void touch(std::uint32_t address, int bytes) {
    for (std::uint32_t word = address / 4; word <= (address + static_cast<std::uint32_t>(bytes) - 1) / 4; ++word) {
      add(word);
    }
  }
  [[nodiscard]] int passes() const noexcept { return passes_; }
  [[nodiscard]] std::array<int, 32> words() const {
    std::array<int, 32> counted{};
    std::copy(count_.begin(), count_.end(), counted.begin());
    return counted;
  }

 private:
  void add(std::uint32_t word) {
    const std::size_t bank = word % 32;
    auto& words = words_[bank];
    const auto end = words.begin() + count_[bank];
    if (std::find(words.begin(), end, word) == end) {
      *end = word;
      passes_ = std::max<int>(passes_, ++count_[bank]);
    }
  }

  // Two groups of 32 words at most.
  std::array<std::array<std::uint32_t, 64>, 32> words_;  // NOLINT: entries below count_ are set
  std::array<std::uint8_t, 32> count_{};
  int passes_ = 0;
};

int passes(Addresses address, std::uint32_t lanes, int bytes) {
  Banks banks;
  for_each_lane(lanes, [&](int lane) { banks.touch(address[static_cast<std::size_t>(lane)], bytes); });
  return banks.passes();
}

// Does every lane find lane ^ distance absent, or at its own address?
bool paired(Addresses address, std::uint32_t lanes, unsigned distance) {
  bool all = true;
  for_each_lane(lanes, [&](int lane) {
    const unsigned other = static_cast<unsigned>(lane) ^ distance;
    all = all && ((lanes >> other & 1U) == 0 || address[other] == address[static_cast<std::size_t>(lane)]);
  });
  return all;
}

bool merges(Addresses address, std::uint32_t lanes, int bytes) {
  return (paired(address, lanes, 1) || paired(address, lanes, 2)) && passes(address, lanes, bytes) == 1;
}

Wavefronts settled(int cost, int ideal, std::string_view rule) {
  return {cost, cost, true, ideal, rule};
}

Wavefronts store_cost(const SharedAccess& a) {
  int cost = 0;
  for (const std::uint32_t group : lane_groups(a.size, a.active)) {
    cost += passes(a.shared, group, a.size);
  }
  return settled(cost, active_groups(a.size, a.active), "bank words");
}

Wavefronts load_cost(const SharedAccess& a) {
  Wavefronts result = store_cost(a);
  const auto groups = lane_groups(a.size, a.active);
  for (std::size_t i = 0; i + 1 < groups.size(); i += 2) {
    if (groups[i] != 0 && groups[i + 1] != 0 && merges(a.shared, groups[i] | groups[i + 1], a.size)) {
      --result.low;  // without conflict each of the two costs 1
      --result.high;
      result.rule = "merged groups";
    }
  }
  return result;
}

Wavefronts matrix_cost(const SharedAccess& a) {
  int cost = 0;
  for (int matrix = 0; matrix < a.size; ++matrix) {
    cost += passes(a.shared, 0xFFU << 8 * matrix, 16);
  }
  return settled(cost, a.size, "matrix rows");
}

void check(bool good, const SharedAccess& a, const char* sizes) {
  if (!good) {
    throw Error(ErrorKind::bad_input, "shared access: size " + std::to_string(a.size) + ", expected " + sizes);
  }
}

bool power_of_two(int size, int least, int most) {
  return size >= least && size <= most && std::has_single_bit(static_cast<unsigned>(size));
}

}  // namespace

Wavefronts shared_wavefronts(const SharedAccess& a) {
  switch (a.op) {
    case SharedOp::load:
    case SharedOp::store:
      check(power_of_two(a.size, 1, 16), a, "1, 2, 4, 8 or 16 bytes a lane");
      return a.op == SharedOp::load ? load_cost(a) : store_cost(a);
    case SharedOp::ldmatrix:
    case SharedOp::stmatrix:
      check(power_of_two(a.size, 1, 4), a, "1, 2 or 4 matrices");
      return matrix_cost(a);
    case SharedOp::cp_async_ca:
      check(power_of_two(a.size, 4, 16), a, "4, 8 or 16 bytes a lane");
      break;
    case SharedOp::cp_async_cg:
      check(a.size == 16, a, "16 bytes a lane");
      break;
  }
  if (a.global.size() != 32) {
    throw Error(ErrorKind::bad_input, "cp.async: " + std::to_string(a.global.size()) +
                                          " global addresses, expected one for each of 32 lanes");
  }
  return cp_async_cost(a);
}

std::array<int, 32> bank_words(const SharedAccess& a) {
  const bool rows = a.op == SharedOp::ldmatrix || a.op == SharedOp::stmatrix;
  const std::uint32_t givers = rows && a.size < 4 ? (1U << 8 * a.size) - 1 : all_lanes;
  Banks banks;
  for_each_lane(a.active & givers,
                [&](int lane) { banks.touch(a.shared[static_cast<std::size_t>(lane)], rows ? 16 : a.size); });
  return banks.words();
}

GlobalTraffic global_traffic(const GlobalAccess& a) {
  if (!power_of_two(a.size, 1, 16)) {
    throw Error(ErrorKind::bad_input,
                "global access: size " + std::to_string(a.size) + ", expected 1, 2, 4, 8 or 16 bytes a lane");
  }
  std::array<std::uint64_t, 32> sorted;  // NOLINT: the first `count` are set
  std::size_t count = 0;
  for_each_lane(a.active, [&](int lane) { sorted[count++] = a.address[static_cast<std::size_t>(lane)]; });
  std::sort(sorted.begin(), sorted.begin() + count);
  GlobalTraffic t{count > 0 ? 1 : 0, 0, 0, 0};
  std::uint64_t bytes = 0;
  std::uint64_t byte_end = 0;  // first byte not counted yet; likewise for blocks
  std::uint64_t sector_end = 0;
  std::uint64_t line_end = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t first = sorted[i];
    const std::uint64_t end = first + static_cast<std::uint64_t>(a.size);
    const auto fresh = [&](std::uint64_t unit, std::uint64_t& known) {
      const std::uint64_t from = std::max(first / unit, known);
      known = std::max(known, (end - 1) / unit + 1);
      return known > from ? known - from : 0;
    };
    bytes += fresh(1, byte_end);
    t.sectors += static_cast<int>(fresh(32, sector_end));
    t.lines += static_cast<int>(fresh(128, line_end));
  }
  t.ideal_sectors = static_cast<int>((bytes + 31) / 32);
  return t;
}

}  // namespace tileloom::hw
