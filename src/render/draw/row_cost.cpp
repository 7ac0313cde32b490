// SPDX-License-Identifier: Apache-2.0
#include "render/draw/row_cost.hpp"

#include <fmt/format.h>

#include "tileloom/hw/memory_cost.hpp"
#include "tileloom/trace/kernel.hpp"

namespace tileloom::render::draw {

using layout::AnyLayout;

namespace {

constexpr int matrix_rows = 8;
constexpr int row_bytes = 16;

// First byte of a row, if it can be read at once. `across`: the row runs along mode 1, else along mode 0.
std::optional<std::uint32_t> row_address(const AnyLayout& l, int bits, int row, bool across) {
  const auto at = [&](int i) { return across ? trace::offset_at(l, row, i) : trace::offset_at(l, i, row); };
  const std::int64_t first = at(0);
  for (int i = 1; i < row_bytes * 8 / bits; ++i) {
    if (at(i) != first + i) {
      return std::nullopt;
    }
  }
  const std::int64_t byte = first * bits / 8;
  const bool fits = byte >= 0 && byte <= INT32_MAX && byte % row_bytes == 0 && first * bits % 8 == 0;
  return fits ? std::optional(static_cast<std::uint32_t>(byte)) : std::nullopt;
}

std::optional<hw::Wavefronts> wavefronts(const AnyLayout& l, int bits, bool across) {
  const int length = row_bytes * 8 / bits;
  if (trace::mode_size(l, across ? 0 : 1) < matrix_rows || trace::mode_size(l, across ? 1 : 0) < length) {
    return std::nullopt;
  }
  std::array<std::uint32_t, 32> lanes{};
  for (std::size_t row = 0; row < matrix_rows; ++row) {
    const auto address = row_address(l, bits, static_cast<int>(row), across);
    if (!address) {
      return std::nullopt;
    }
    for (std::size_t lane = row; lane < lanes.size(); lane += matrix_rows) {
      lanes[lane] = *address;
    }
  }
  return hw::shared_wavefronts({hw::SharedOp::ldmatrix, 1, lanes});
}

}  // namespace

std::optional<RowCost> row_cost(const AnyLayout& l, int bits) {
  if (domain(l).rank() != 2 || bits > row_bytes * 8 / 2) {
    return std::nullopt;
  }
  for (const bool across : {true, false}) {
    if (const auto w = wavefronts(l, bits, across)) {
      const int length = row_bytes * 8 / bits;
      return RowCost{across ? Mark{0, 0, matrix_rows, length} : Mark{0, 0, length, matrix_rows},
                     fmt::format("outlined: 8 rows of 16 bytes, one matrix of ldmatrix{}: {} wavefront{}, {}",
                                 across ? "" : ".trans", w->high, w->high == 1 ? "" : "s",
                                 w->high == w->ideal ? "no conflict" : fmt::format("{} without conflicts", w->ideal))};
    }
  }
  return std::nullopt;
}

}  // namespace tileloom::render::draw
