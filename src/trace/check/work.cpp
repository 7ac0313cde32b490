// SPDX-License-Identifier: Apache-2.0
// Who does what: tiles, threads, and that everything is done once.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

#include "tileloom/trace/tile_table.hpp"
#include "trace/check/properties.hpp"
#include "trace/copy_ends.hpp"

namespace tileloom::trace {

using std::to_string;

namespace {

void check_once(const TileTable& table, Operand operand, const std::string& what, std::int64_t rows, Properties& out) {
  const std::vector<int> counts = table.occurrences();
  Findings wrong;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 1) {
      const auto at = static_cast<std::int64_t>(i);
      wrong.add(element_name(operand, at % rows, at / rows) +
                (counts[i] == 0 ? " never" : " " + to_string(counts[i]) + " times"));
    }
  }
  out.push_back(wrong.property("coverage", what + ": each element once",
                               what + ": " + counted(wrong.count(), "element") + " not once",
                               "make thr and val cover the tile without holes and overlaps"));
}

// Do neighbouring rows or columns of a row-major or column-major matrix share elements? Their distance, and what it
// must be.
std::optional<std::pair<std::int64_t, std::int64_t>> overlap_of(const layout::AnyLayout& matrix) {
  const std::int64_t rows = mode_size(matrix, 0);
  const std::int64_t columns = mode_size(matrix, 1);
  if (rows < 2 || columns < 2) {
    return std::nullopt;
  }
  const std::int64_t down = std::abs(offset_at(matrix, 1, 0));
  const std::int64_t across = std::abs(offset_at(matrix, 0, 1));
  const auto [near, far] = std::minmax(down, across);
  const std::int64_t needed = across <= down ? columns : rows;
  return near == 0 || (near == 1 && far < needed) ? std::optional(std::pair(near == 0 ? 0 : far, needed))
                                                  : std::nullopt;
}

}  // namespace

void check_tile(const Kernel& kernel, Properties& out) {
  const auto& tile = kernel.config.tile;
  const std::int64_t k = kernel.mma.atom().k;
  const bool whole_atoms = tile[2] % k == 0;
  out.push_back({"K tile", whole_atoms ? Verdict::good : Verdict::bad,
                 to_string(tile[2]) + (whole_atoms ? ", a multiple" : ", not a multiple") + " of the instruction's " +
                     to_string(k),
                 whole_atoms ? "" : "pad K with zeros: a part of an instruction's K cannot be left out"});
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t step = kernel.mma.tile_size(i).value;
    if (tile.at(i) % step != 0) {
      out.push_back({"tile", Verdict::bad,
                     std::string(1, "MNK"[i]) + " is " + to_string(tile.at(i)) +
                         ", not a multiple of the tiled MMA's " + to_string(step),
                     "choose a multiple, or other warps and another permutation"});
    }
  }
  if (out.back().name == "K tile") {
    const auto step = [&](std::size_t i) { return to_string(kernel.mma.tile_size(i).value); };
    out.push_back({"tile", Verdict::good,
                   to_string(tile[0]) + " x " + to_string(tile[1]) + " x " + to_string(tile[2]) +
                       ", multiples of the tiled MMA's " + step(0) + " x " + step(1) + " x " + step(2),
                   ""});
  }
}

void check_threads(const Kernel& kernel, const hw::Limits& limits, Properties& out) {
  const std::int64_t threads = kernel.threads();
  out.push_back({"threads", threads <= limits.threads_per_cta ? Verdict::good : Verdict::bad,
                 to_string(threads) + " of at most " + to_string(limits.threads_per_cta), ""});
  const std::pair<const char*, const std::optional<TiledCopy>*> copies[] = {
      {"g2s.A", &kernel.path(Operand::a).fill},
      {"g2s.B", &kernel.path(Operand::b).fill},
      {kernel.config.r2g ? "epilogue.r2g" : "epilogue.s2g", &kernel.path(Operand::c).drain}};
  for (const auto& [name, copy] : copies) {
    if (*copy && (*copy)->threads().value != threads) {
      out.push_back({"threads", Verdict::bad,
                     std::string(name) + " is shared by " + to_string((*copy)->threads().value) +
                         " threads, the tiled MMA has " + to_string(threads),
                     "choose a thr layout of " + to_string(threads) + " threads"});
    }
  }
}

void check_coverage(const Kernel& kernel, Properties& out) {
  for (const OperandPath& p : kernel.operands) {
    const Extent extent = copied_extent(p);
    if (p.operand != Operand::c) {
      if (p.fill) {
        check_once(TileTable(*p.fill, End::destination, p.rows, p.columns), p.operand,
                   std::string(1, letter(p.operand)) + " into shared memory", p.rows, out);
      }
      continue;
    }
    check_once(TileTable(kernel.mma, p.operand, p.rows, p.columns), p.operand, "D in registers", p.rows, out);
    if (p.drain) {
      check_once(TileTable(*p.drain, End::destination, extent.rows, extent.columns), p.operand,
                 p.shared ? "a slab of D into global memory" : "D into global memory", extent.rows, out);
    }
  }
}

void check_matrices(const Kernel& kernel, Properties& out) {
  bool apart = true;
  bool any = false;
  for (const OperandPath& path : kernel.operands) {
    any |= path.matrix.has_value();
    const auto overlap = path.matrix ? overlap_of(*path.matrix) : std::nullopt;
    if (!overlap) {
      continue;
    }
    apart = false;
    const bool output = path.operand == Operand::c;
    const std::string name = output ? "D" : path.operand == Operand::a ? "A" : "B";
    out.push_back({"matrices", output ? Verdict::bad : Verdict::note,
                   name + "'s rows overlap in global memory: " + to_string(overlap->first) +
                       " elements apart, expected at least " + to_string(overlap->second),
                   "give the stride a value with --size, for example --size ld" +
                       std::string(1, static_cast<char>(std::tolower(name[0]))) + "=" + to_string(overlap->second)});
  }
  if (any && apart) {
    out.push_back({"matrices", Verdict::good, "no two rows share elements in global memory", ""});
  }
}

}  // namespace tileloom::trace
