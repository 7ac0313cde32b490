// SPDX-License-Identifier: Apache-2.0
#include "render/follow_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "render/trace_text.hpp"

namespace tileloom::render {
namespace {

using emu::FollowedMove;
using emu::MemoryPlace;

std::string place_text(const MemoryPlace& at, const RowLengths& matrices) {
  if (at.buffer.empty()) return fmt::format("shared byte {}, bank {}", at.byte, at.byte / 4 % 32);
  const auto matrix = matrices.find(at.buffer);
  if (matrix == matrices.end()) return fmt::format("byte {} of {}", at.byte, at.buffer);
  const auto element = static_cast<std::int64_t>(at.byte / 2);
  return fmt::format("{}({},{})", at.buffer, element / matrix->second, element % matrix->second);
}

std::string bits_text(const FollowedMove& m) {
  return fmt::format("{}[{}:{}]", m.reg, m.high, m.low);
}

std::string file_line(const emu::InstructionPlace& at) {
  return at.file.empty() ? fmt::format("{}:{}", at.ptx_file, at.ptx_line) : fmt::format("{}:{}", at.file, at.line);
}

std::string way_text(const FollowedMove& m, const RowLengths& matrices) {
  const std::string row = fmt::format("lane {} gives the row, ", m.source_lane);
  switch (m.kind) {
    case emu::MoveKind::load:
      return place_text(*m.from, matrices) + " -> " + bits_text(m);
    case emu::MoveKind::load_matrix:
      return row + place_text(*m.from, matrices) + " -> " + bits_text(m);
    case emu::MoveKind::store:
      return bits_text(m) + " -> " + place_text(*m.to, matrices);
    case emu::MoveKind::store_matrix:
      return row + bits_text(m) + " -> " + place_text(*m.to, matrices);
    case emu::MoveKind::copy:
      return place_text(*m.from, matrices) + " -> " + place_text(*m.to, matrices);
    case emu::MoveKind::operand:
      return "operand " + bits_text(m);
    default:
      return "-> " + bits_text(m) + (m.source_lane == m.lane ? "" : fmt::format(" from lane {}", m.source_lane));
  }
}

struct Line {
  std::string verb, way, source;
  std::uint32_t warp = 0, lane = 0;
  std::uint64_t times = 0;
  std::set<int> ctas;
  [[nodiscard]] auto key() const { return std::tie(verb, way, source, warp, lane); }
};

// Moves that only unrolling or the CTA tell apart are one.
std::vector<Line> lines_of(const emu::Provenance& seen, const RowLengths& matrices) {
  std::vector<Line> lines;
  std::map<std::tuple<std::string, std::string, std::string, std::uint32_t, std::uint32_t>, std::size_t> known;
  for (const FollowedMove& m : seen.moves) {
    Line line{std::string(m.kind == emu::MoveKind::operand ? "mma" : to_string(m.kind)),
              way_text(m, matrices),
              file_line(m.at),
              m.warp,
              m.lane,
              0,
              {}};
    const auto [at, fresh] = known.try_emplace({line.verb, line.way, line.source, line.warp, line.lane}, lines.size());
    if (fresh) lines.push_back(line);
    lines[at->second].times += m.times;
    lines[at->second].ctas.insert(static_cast<int>(m.cta));
  }
  return lines;
}

std::string list(const char* one, const std::set<int>& numbers) {
  return fmt::format("{}{} {}", one, numbers.size() == 1 ? "" : "s",
                     numbers_text(std::vector<int>(numbers.begin(), numbers.end())));
}

void moves_text(std::ostream& out, const emu::Provenance& seen, const RowLengths& matrices) {
  const std::vector<Line> lines = lines_of(seen, matrices);
  std::size_t width = 0;
  std::set<int> all;
  for (const Line& line : lines) {
    width = std::max(width, line.way.size());
    all.insert(line.ctas.begin(), line.ctas.end());
  }
  for (const Line& line : lines) {
    out << fmt::format("  {:<9} warp {} lane {:<2}  {:<{}}  {}{}{}\n", line.verb, line.warp, line.lane, line.way, width,
                       line.source, line.times == 1 ? "" : fmt::format(", {} times", line.times),
                       line.ctas == all ? "" : ", " + list("CTA", line.ctas));
  }
  if (!all.empty()) out << fmt::format("  {:<9} {}\n", "in", list("CTA", all));
}

void sums_text(std::ostream& out, const emu::Provenance& seen) {
  std::map<std::pair<std::uint32_t, std::set<int>>, std::set<int>> fed;  // warp, values -> lanes
  for (const emu::FollowedSums& s : seen.sums) {
    std::set<int>& of = fed[{s.warp, std::set<int>(s.values.begin(), s.values.end())}];
    for (int lane = 0; lane < 32; ++lane) {
      if ((s.lanes >> lane & 1) != 0) of.insert(lane);
    }
  }
  for (const auto& [who, lanes_fed] : fed) {
    out << fmt::format("  {:<9} warp {} {}, {} of mma\n", "feeds", who.first, list("lane", lanes_fed),
                       list("result", who.second));
  }
}

// Neighbours of a matrix: rows and columns, both ends included. Of other buffers one row with all elements.
struct Range {
  std::string buffer;
  bool matrix = false;
  std::uint64_t first_row = 0, last_row = 0, first = 0, last = 0;
  std::set<int> warps, lanes;
};

// Neighbours in one row, by place.
std::vector<Range> row_ranges(const emu::Provenance& seen, const RowLengths& matrices) {
  std::vector<Range> ranges;
  for (const emu::FollowedResult& r : seen.results) {
    const auto matrix = matrices.find(r.at.buffer);
    const bool known = matrix != matrices.end();
    const std::uint64_t element = r.at.byte / 2;
    const std::uint64_t row = known ? element / static_cast<std::uint64_t>(matrix->second) : 0;
    const std::uint64_t column = known ? element % static_cast<std::uint64_t>(matrix->second) : element;
    if (ranges.empty() || ranges.back().buffer != r.at.buffer || ranges.back().last_row != row ||
        ranges.back().last + 1 != column) {
      ranges.push_back({r.at.buffer, known, row, row, column, column, {}, {}});
    }
    ranges.back().last = column;
    ranges.back().warps.insert(static_cast<int>(r.warp));
    ranges.back().lanes.insert(static_cast<int>(r.lane));
  }
  return ranges;
}

// Equal columns of neighbouring rows are one line.
std::vector<Range> result_ranges(const emu::Provenance& seen, const RowLengths& matrices) {
  std::vector<Range> merged;
  for (Range& r : row_ranges(seen, matrices)) {
    const auto above = std::ranges::find_if(merged, [&](const Range& m) {
      return m.buffer == r.buffer && m.first == r.first && m.last == r.last && m.last_row + 1 == r.first_row;
    });
    if (above == merged.end()) {
      merged.push_back(std::move(r));
      continue;
    }
    above->last_row = r.first_row;
    above->warps.merge(r.warps);
    above->lanes.merge(r.lanes);
  }
  return merged;
}

void results_text(std::ostream& out, const emu::Provenance& seen, const RowLengths& matrices) {
  const auto range = [](std::uint64_t a, std::uint64_t b) {
    return a == b ? fmt::format("{}", a) : fmt::format("{}..{}", a, b);
  };
  for (const Range& r : result_ranges(seen, matrices)) {
    const std::string where =
        r.matrix ? fmt::format("{}({},{})", r.buffer, range(r.first_row, r.last_row), range(r.first, r.last))
                 : fmt::format("bytes {}..{} of {}", 2 * r.first, 2 * r.last + 1, r.buffer);
    out << fmt::format("  {:<9} {}, stored by {}, {}\n", "result", where, list("warp", r.warps), list("lane", r.lanes));
  }
}

}  // namespace

void follow_text(std::ostream& out, const emu::Provenance& seen, const emu::BufferElement& what,
                 const RowLengths& matrices, const std::optional<emu::SumPlace>& sum) {
  out << place_text(what, matrices) << fmt::format(", byte {} of {}\n", what.byte, what.buffer);
  if (sum) {
    out << fmt::format("  {:<9} warp {} lane {:<2}  result c{} of mma.sync number {} of the module\n", "summed",
                       sum->warp, sum->lane, sum->value, sum->mma);
  }
  moves_text(out, seen, matrices);
  sums_text(out, seen);
  results_text(out, seen, matrices);
}

}  // namespace tileloom::render
